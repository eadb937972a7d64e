"""Newer zone data may bring a slot forward: its cursor follows, and nothing is slept through."""

from __future__ import annotations

from typing import Any

from onthedot.records.attributes import plain_item, typed_item
from onthedot.records.timings import LOOK_AHEAD_SEC
from onthedot.schedule.time import zones
from onthedot.schedule.time.instants import nominal
from onthedot.upkeep.new_tzdata import KEY, retime
from tests.simulation.calm import NOON, add, go, outcomes, part, spoil, wait
from tests.simulation.stage import Stage
from tests.simulation.users import user


def recorded(stage: Stage) -> dict[str, Any]:
    found = stage.world.store.get_item(TableName="tasks", Key=typed_item(KEY))
    return plain_item(found["Item"]) if "Item" in found else {}


def test_a_cursor_that_stands_too_late_is_brought_forward(stage: Stage) -> None:
    task = add(stage, "30 13 * * *")
    spoil(stage, task, "cursor", next_run_at="2026-11-18T14:30:00Z")

    assert list(retime()) == [task.task_id]

    assert part(stage, task, "cursor")["next_run_at"] == "2026-11-18T13:30:00Z"
    go(stage, 5_700)
    assert outcomes(stage, task) == {"13:30:00": "succeeded"}


def test_a_slot_that_may_have_been_claimed_is_not_gone_back_to(stage: Stage) -> None:
    """A tick claims what is due within two and a half minutes, and its claim moves with nothing."""
    task = add(stage, "*/2 * * * *")
    spoil(stage, task, "cursor", next_run_at="2026-11-18T12:10:00Z")

    assert list(retime()) == [task.task_id]

    assert part(stage, task, "cursor")["next_run_at"] == "2026-11-18T12:04:00Z"


def test_cursors_that_stand_right_or_in_no_index_stay(stage: Stage) -> None:
    right, paused = add(stage, "30 13 * * *"), add(stage, "30 14 * * *", name="paused")
    user.pause(paused.task_id)
    before = [part(stage, task, "cursor") for task in (right, paused)]

    assert list(retime()) == []

    assert [part(stage, task, "cursor") for task in (right, paused)] == before


def test_a_task_that_cannot_be_read_holds_up_no_other(stage: Stage) -> None:
    broken, late = add(stage, "30 13 * * *"), add(stage, "30 13 * * *", name="late")
    spoil(stage, broken, "cursor", compiled=b"junk")
    spoil(stage, late, "cursor", next_run_at="2026-11-18T14:30:00Z")

    assert list(retime()) == [late.task_id]


def test_it_is_done_once_for_each_version_of_the_data(stage: Stage) -> None:
    task = add(stage, "30 13 * * *")
    assert list(retime()) == []
    assert recorded(stage)["version"] == zones.VERSION
    spoil(stage, task, "cursor", next_run_at="2026-11-18T14:30:00Z")

    assert list(retime()) == []


def test_whoever_was_interrupted_begins_again(stage: Stage) -> None:
    for name in ("one", "two"):
        task = add(stage, "30 13 * * *", name=name)
        spoil(stage, task, "cursor", next_run_at="2026-11-18T14:30:00Z")
    next(retime())
    assert recorded(stage) == {}

    assert len(list(retime())) == 1


def test_a_slot_at_the_edge_that_jitter_puts_off_is_gone_back_to(stage: Stage) -> None:
    task = add(stage, "30 13 * * *", jitter_sec=600)
    slot = NOON + 5_400
    due = task.schedule.due_at(slot)
    assert slot < due < slot + 600
    spoil(stage, task, "cursor", next_run_at="2026-11-20T13:30:00Z")
    wait(stage, 5_400 - LOOK_AHEAD_SEC)

    assert list(retime()) == [task.task_id]

    assert part(stage, task, "cursor")["next_run_at"] == nominal(due)
