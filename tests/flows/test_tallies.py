"""Each minute's outcomes are kept, an hour of them is summed, and a day is read from hours."""

from __future__ import annotations

from collections import Counter

from onthedot.core.tally import Tally
from onthedot.flows.tallies import keep
from tests.flows.calm import partition, wait
from tests.simulation.stage import Stage

HOUR_SEC = 3_600


def minute(**counts: int) -> Tally:
    return Tally({"acme": Counter(counts)})


def test_shares_cover_the_last_hour_and_what_is_late_the_last_five_minutes(stage: Stage) -> None:
    keep(minute(dead=1))
    wait(stage, 6 * 60)

    figures = keep(minute(succeeded=99))

    assert figures["failed_percent"] == 1
    assert figures["dead_percent"] == 0
    wait(stage, HOUR_SEC + 60)
    assert keep(minute(succeeded=99))["failed_percent"] == 0


def test_a_day_remembers_what_an_hour_has_forgotten(stage: Stage) -> None:
    keep(minute(dead=1, succeeded=99))
    wait(stage, HOUR_SEC + 120)
    keep(minute(succeeded=100))
    wait(stage, 2 * HOUR_SEC + 600)
    keep(minute())
    wait(stage, 20 * HOUR_SEC)

    figures = keep(minute(succeeded=800))

    assert figures["burn_hour"] == 0
    assert figures["burn_day"] == 1


def test_an_hour_is_summed_whenever_the_next_audit_comes(stage: Stage) -> None:
    keep(minute(dead=2))
    wait(stage, HOUR_SEC + 40 * 60)
    keep(minute(succeeded=1))

    hours = {hour["scheduled_for"]: hour["tenants"] for hour in partition(stage, "stat#hours")}

    assert hours["2026-11-18T12:00:00Z"] == {"acme": {"dead": 2}}


def test_keeping_a_minute_twice_counts_it_once(stage: Stage) -> None:
    first = keep(minute(dead=1, succeeded=3))

    assert keep(minute(dead=1, succeeded=3)) == first
    assert len(partition(stage, "stat#minutes")) == 1
