"""What a tick tells of itself: each slot is counted as what became of it, and the clock beside."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.dispatch import dispatcher, due_tasks
from onthedot.dispatch.dispatcher import dispatch
from onthedot.dispatch.tick import new_tick
from onthedot.records.attributes import typed_item
from onthedot.records.timings import CLAIM_SEC
from onthedot.store import table_reads
from onthedot.store.clock import Skew
from tests.simulation.calm import NOON, add, left_behind, part, put_run, runs, spoil, wait
from tests.simulation.stage import Stage


def test_a_slot_that_another_has_claimed_is_suppressed_and_taken_over_when_that_is_over(
    stage: Stage,
) -> None:
    held, over = (add(stage, "1 12 * * *", name=name) for name in ("held", "over"))
    left_behind(stage, held, claim_until=NOON * 1000 + 1)
    left_behind(stage, over, claim_until=NOON * 1000 - 1)

    counts = dispatch(stage.shards()).counts

    told = {name: counts.get(name) for name in ("due", "claimed", "suppressed", "taken_over")}
    assert told == {"due": 2, "claimed": 0, "suppressed": 2, "taken_over": 1}
    assert (counts["sent"], counts["advanced"]) == (1, 1)


def test_a_claim_is_good_for_half_a_minute_from_the_beginning_of_its_tick(stage: Stage) -> None:
    task = add(stage, "1 12 * * *")

    dispatch(stage.shards())

    (claimed,) = runs(stage, task)
    assert claimed.life.claim
    assert claimed.life.claim.until_ms == (NOON + CLAIM_SEC) * 1000
    assert claimed.life.claimed_ms == NOON * 1000


def test_a_range_counts_for_as_many_as_it_stands_for(stage: Stage) -> None:
    add(stage, "* * * * *", misfire_grace_sec=90)
    wait(stage, 110 * 60)

    counts = dispatch(stage.shards()).counts

    assert counts["missed"] == 108
    assert counts["sent"] == 4


def test_what_is_set_aside_is_counted_once(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    spoil(stage, task, "cursor", compiled=b"\xff")

    assert dispatch(stage.shards()).counts["quarantined"] == 1
    assert "due_shard" not in part(stage, task, "cursor")


def test_the_mean_is_of_what_was_on_time(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dispatcher, "DUE_MAX", 3)
    for number in range(6):
        add(stage, "*/10 12 * * *", name=f"o{number}x")
    for number in range(3):
        add(stage, "1 12 * * *", name=f"l{number}x")
    wait(stage, 599)

    counts = dispatch(stage.shards()).counts

    kept: dict[str, Any] = table_reads.get("runs", due_tasks.KEY) or {}
    assert (counts["due"], counts["backlog"]) == (9, 3)
    assert kept["mean"] == pytest.approx(6 / 60)
    assert kept["overdue"] == [3]


def test_a_machine_whose_clock_is_astray_leaves_no_sign_of_life(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(stage, "1 12 * * *")
    put_run(stage, due_tasks.Backlog(at_ms=7).item())
    monkeypatch.setattr(Skew, "hopeless", property(lambda _: True))

    counts = dispatch(stage.shards()).counts

    assert "sent" not in counts
    assert (table_reads.get("runs", due_tasks.KEY) or {})["at_ms"] == 7


def test_how_far_the_clock_was_off_is_told(stage: Stage) -> None:
    assert stage.world.bugs() == []
    tick = new_tick()
    tick.watch.skew = Skew(900, 1_300)
    tick.correct_clock()

    assert tick.counts == {"clock_offset_ms": 1_100, "clock_unsure_ms": 200}
    assert tick.started_ms == NOON * 1000 + 1_100
    assert not tick.hopeless


def test_nothing_is_counted_that_did_not_happen(stage: Stage) -> None:
    stage.world.store.put_item(TableName="runs", Item=typed_item(due_tasks.Backlog().item()))

    counts = dispatch([0, 1]).counts

    assert {name for name, count in counts.items() if count} <= {"clock_unsure_ms"}
