"""Edges of decisions that no history comes to: a fault planted there broke nothing."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from onthedot.dispatch import tick
from onthedot.dispatch.tick import Claim, Fate
from onthedot.launch import backfill
from onthedot.launch.backfill import Past
from onthedot.records.runs import manifest, max_runs, tenant_permits
from onthedot.records.runs.manifest import Manifest
from onthedot.registry import definition
from onthedot.store.clock import Skew
from onthedot.targets.attempt_outcome import error_of
from onthedot.upkeep.ledger import Ledger, percentile
from tests.schedule.samples import NOON_MS, SLOT, due, run, task


def test_a_clock_whose_bounds_meet_is_known() -> None:
    assert Skew(700, 700).known
    assert Skew(700, 700).offset_ms == 700
    assert not Skew(701, 700).known
    assert Skew(-2_001, -2_001).hopeless
    assert not Skew(-2_000, -2_000).hopeless
    assert not Skew(2_000, 2_000).hopeless


def test_a_fingerprint_has_twelve_letters() -> None:
    assert len(error_of("Boom", "it broke")["fingerprint"]) == 12


def test_a_list_keeps_the_due_time_of_each_run_though_others_are_due_by_their_keys() -> None:
    plain, late = run(), run(key="2026-11-18T12:01:00Z", due_ms=NOON_MS + 99_000)
    listed, _ = manifest.listing(
        "D1", [manifest.entry(plain), manifest.entry(late)], now_ms=NOON_MS
    )
    both = replace(listed, entries=(manifest.entry(plain), manifest.entry(late)))

    read = manifest.parse(both.item())

    assert isinstance(read, Manifest)
    assert [entry.due_ms for entry in read.entries] == [NOON_MS, NOON_MS + 99_000]
    assert [entry.tenant_id for entry in read.entries] == ["acme", "acme"]
    assert [entry.due_at(NOON_MS + 5).due_ms for entry in read.entries] == [NOON_MS + 5] * 2


@pytest.mark.parametrize(
    ("life", "counted"),
    [
        ({"claimed_ms": NOON_MS}, True),
        ({}, False),
        ({"claimed_ms": NOON_MS, "status": "missed"}, False),
        ({"claimed_ms": NOON_MS, "status": "skipped", "reason": "coalesced"}, False),
        ({"claimed_ms": NOON_MS, "status": "skipped", "reason": "overlap"}, True),
        ({"claimed_ms": NOON_MS, "dropped": "edited"}, False),
        ({"claimed_ms": NOON_MS, "status": "missed", "attempt": 1}, True),
    ],
)
def test_max_runs_counts_what_was_claimed_to_run(life: dict[str, Any], *, counted: bool) -> None:
    assert max_runs.counts(run(**life)) is counted
    assert not max_runs.counts(run(key=f"{SLOT}~m1", **life))


def test_our_own_row_is_ours_only_as_we_claimed_or_recorded_it() -> None:
    mine = run(claim_id="D1")
    wanted = Claim(due=due(), run=mine)

    def fate(**life: Any) -> Fate:  # noqa: ANN401 any field
        seen = run(**{"claim_id": "D1", **life})
        return tick.fate_of(wanted, seen, "D1", NOON_MS, force=False)

    assert fate() is Fate.MINE
    assert fate(status="skipped") is Fate.DONE
    assert fate(claim_id="D2", claim_until=NOON_MS - 1) is Fate.TAKE
    assert fate(claim_id="D2", claim_until=NOON_MS) is Fate.LEFT
    assert fate(claim_id="D2", attempt=1) is Fate.DONE


def test_a_backfill_goes_on_behind_what_came_to_nothing() -> None:
    slot = NOON_MS // 1000

    def number(own: str, *earlier: str, only_missing: bool = True) -> int | None:
        rows = [run(status=own)] if own else []
        rows += [
            run(key=f"{SLOT}~b{at}", status=status, attempt=1)
            for at, status in enumerate(earlier, 1)
        ]
        return Past.of(rows).number(slot, only_missing=only_missing)

    assert number("") == 1
    assert number("succeeded") is None
    assert number("succeeded", only_missing=False) == 1
    assert number("claimed") is None
    assert number("dead") == 1
    assert number("dead", "dead") == 2
    assert number("dead", "cancelled") == 2
    assert number("dead", "succeeded") is None
    assert number("dead", "running") is None
    assert number("dead", "skipped") is None


def test_only_what_gave_way_before_it_began_was_turned_away() -> None:
    skipped = run(status="skipped", reason="overlap")

    assert backfill.turned_away(skipped)
    assert not backfill.turned_away(run(status="skipped", reason="overlap", attempt=1))
    assert not backfill.turned_away(run(status="skipped", reason="handler"))
    assert not backfill.turned_away(run(reason="overlap"))


def test_half_of_the_deaths_that_pause_a_schedule_are_near() -> None:
    ten = task(shown={"pause_after_deaths": 10})

    assert definition.near(ten, 4) is None
    assert definition.near(ten, 5) == 10
    assert definition.near(replace(ten, status="paused"), 5) is None
    assert definition.near(task(shown={"pause_after_deaths": 0}), 5) is None


def test_a_percentile_is_the_value_behind_so_many_of_a_hundred() -> None:
    hundred = list(range(100))

    assert [percentile(hundred, each) for each in (0, 50, 95, 99)] == [0, 50, 95, 99]
    assert percentile([7], 99) == 7


def test_only_a_first_start_that_waited_for_nobody_is_late() -> None:
    ledger = Ledger()
    started: dict[str, Any] = {"attempt": 1, "started_ms": NOON_MS + 40, "ended_ms": NOON_MS + 140}
    ledger.note(run(status="succeeded", claimed_ms=NOON_MS + 10, **started))
    ledger.note(run(status="succeeded", waited="line", **started))
    ledger.note(run(status="succeeded", first_started_ms=NOON_MS, **started))
    ledger.note(run(status="skipped"))

    figures = ledger.figures()

    assert (ledger.lags_ms, ledger.pickups_ms, ledger.durations_ms) == ([40], [30], [100] * 3)
    assert (figures["succeeded"], figures["skipped"], figures["lag_max_ms"]) == (3, 1, 40)
    assert len(ledger.longest) == 3


@pytest.mark.parametrize(
    ("life", "waits"),
    [
        ({"status": "claimed"}, True),
        ({"status": "retrying"}, True),
        ({"status": "running", "attempt": 1, "lease_ms": NOON_MS - 5_001}, True),
        ({"status": "running", "attempt": 1, "lease_ms": NOON_MS - 5_000}, False),
        ({"status": "awaiting", "attempt": 1, "lease_ms": NOON_MS - 9_000}, False),
        ({"status": "succeeded"}, False),
    ],
)
def test_who_stands_in_the_line_without_a_message_gets_one(
    life: dict[str, Any], *, waits: bool
) -> None:

    assert tenant_permits.waits(run(**life), NOON_MS) is waits


def test_a_permit_is_free_once_its_lease_and_the_margin_are_over() -> None:
    held = tenant_permits.Permit(
        tenant_id="acme", number=0, holder="r", owner="W", lease_ms=NOON_MS
    )

    assert held.live(NOON_MS + 5_000)
    assert not held.live(NOON_MS + 5_001)
    two = tenant_permits.Quota(tenant_id="acme", most=2, permits={0: held})
    assert two.free(NOON_MS) == [1]
    assert two.free(NOON_MS + 5_001) == [0, 1]
    above = tenant_permits.Quota(tenant_id="acme", most=2, permits={7: replace(held, number=7)})
    assert above.free(NOON_MS) == [0]
    assert above.of_run("r", NOON_MS) == replace(held, number=7)
    assert above.of_run("r", NOON_MS + 5_001) is None
