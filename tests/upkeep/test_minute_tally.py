"""What a minute came to is kept by tenant, and the shares that alarms look at follow from it."""

from __future__ import annotations

import json
from collections import Counter

import pytest

from onthedot.upkeep import minute_tally
from onthedot.upkeep.minute_tally import HOURS, MINUTES, TENANTS_MAX, Tally, recent, together
from tests.schedule.samples import NOON


def of(**tenants: dict[str, int]) -> Tally:
    return Tally({tenant_id: Counter(counts) for tenant_id, counts in tenants.items()})


def test_a_tally_is_read_back_as_it_was_written() -> None:
    tally = of(acme={"succeeded": 3, "dead": 1}, other={"missed": 2})

    assert minute_tally.parse(minute_tally.item(tally, MINUTES, NOON)) == tally


def test_tallies_of_several_minutes_add_up_by_tenant() -> None:
    summed = together([of(acme={"dead": 1}), of(acme={"dead": 2}, other={"dead": 4})])

    assert summed == of(acme={"dead": 3}, other={"dead": 4})
    assert summed.all == {"dead": 7}


def test_shares_are_of_the_runs_that_ran_and_not_of_minutes() -> None:
    quiet, busy = of(acme={"dead": 1}), of(acme={"succeeded": 99, "attempts": 100})

    figures = recent(quiet, together([quiet, busy]), Tally())

    assert figures["dead_percent"] == 100
    assert figures["failed_percent"] == 1


def test_leases_are_lost_by_attempts() -> None:
    figures = recent(of(acme={"attempts": 40, "leases_lost": 1}), Tally(), Tally())

    assert figures["leases_lost_percent"] == 2.5


def test_the_worst_tenant_sets_how_fast_the_budget_burns() -> None:
    fine, bad = {"succeeded": 1_000_000}, {"succeeded": 98, "dead": 1, "missed": 1}

    figures = recent(Tally(), of(fine=fine, bad=bad), of(fine=fine))

    assert figures["burn_hour"] == 20
    assert figures["burn_day"] == 0


def test_nothing_having_run_is_no_failure() -> None:
    assert set(recent(Tally(), Tally(), Tally()).values()) == {0}


def test_an_item_stays_within_what_the_store_takes() -> None:
    tally = Tally()
    for number in range(TENANTS_MAX):
        tally.count(f"tenant-{number}", "succeeded", 2)
    tally.count("idle", "succeeded", 1)

    kept = minute_tally.item(tally, HOURS, NOON)["tenants"]

    assert len(kept) == TENANTS_MAX
    assert "idle" not in kept


@pytest.mark.deep
def test_what_was_due_when_is_kept_of_an_hour_and_of_as_many_tenants_as_fit() -> None:
    """Each tenant here had runs in every minute of an hour, as after an outage."""
    due = {NOON - 60 * ago: Tally() for ago in range(90)}
    whole = Tally()
    for number in range(TENANTS_MAX):
        whole.count(f"tenant-{number:04}", "succeeded", 90)
        for tally in due.values():
            tally.count(f"tenant-{number:04}", "succeeded", 1)

    item = minute_tally.item(whole, MINUTES, NOON, due)

    assert len(json.dumps(item)) < 390_000
    first, last = "tenant-0000", f"tenant-{TENANTS_MAX - 1:04}"
    assert sum(minute_tally.due_minutes(item, first).values(), Counter()) == {"succeeded": 60}
    assert minute_tally.due_minutes(item, last) == {NOON: {"succeeded": 90}}
