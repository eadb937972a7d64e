"""Each minute's outcomes are kept, an hour of them is summed, and a day is read from hours."""

from __future__ import annotations

from collections import Counter

import pytest

from onthedot.upkeep.minute_tally import Tally
from onthedot.upkeep.tallies import keep, newest
from tests.simulation.calm import NOON, partition, wait
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


@pytest.mark.parametrize(("minutes", "percent"), [(4, 50), (5, 0)])
def test_lately_is_five_minutes_with_the_present_one(
    stage: Stage, minutes: int, percent: float
) -> None:
    keep(minute(dead=1))
    wait(stage, minutes * 60)

    assert keep(minute(succeeded=1))["dead_percent"] == percent


@pytest.mark.parametrize(("minutes", "percent"), [(59, 50), (60, 0)])
def test_an_hour_is_sixty_minutes_with_the_present_one(
    stage: Stage, minutes: int, percent: float
) -> None:
    wait(stage, 90)
    keep(minute(dead=1))
    wait(stage, 90 + minutes * 60)

    assert keep(minute(succeeded=1))["failed_percent"] == percent


@pytest.mark.parametrize(("hours", "burn"), [(22, 500), (23, 500), (24, 0)])
def test_a_day_is_twenty_four_hours_with_the_present_one(
    stage: Stage, hours: int, burn: float
) -> None:
    """What each hour came to is summed in the next one, or never."""
    wait(stage, 59 * 60)
    keep(minute(dead=1))
    wait(stage, HOUR_SEC)
    keep(minute())
    wait(stage, hours * HOUR_SEC)

    assert keep(minute(succeeded=1))["burn_day"] == burn


def test_an_hour_is_summed_once_and_counted_once(stage: Stage) -> None:
    keep(minute(dead=1))
    wait(stage, HOUR_SEC)
    first = keep(minute(succeeded=1))
    wait(stage, HOUR_SEC + 60)
    keep(minute())

    assert (first["burn_day"], keep(minute())["burn_day"]) == (500, 500)
    hours = [hour["scheduled_for"] for hour in partition(stage, "stat#hours")]
    assert sorted(hours) == ["2026-11-18T11:00:00Z", "2026-11-18T12:00:00Z"]


def test_an_audit_that_saw_not_all_leaves_the_sign_of_the_last_one(stage: Stage) -> None:
    keep(minute())
    wait(stage, 60)
    keep(minute())
    wait(stage, 130)
    keep(minute(), alive=False)

    signs = [item["at_ms"] - NOON * 1000 for item in partition(stage, "stat#minutes")]
    assert sorted(signs) == [0, 60_000, 60_000]


def test_the_newest_minute_is_told(stage: Stage) -> None:
    assert newest() is None
    keep(minute())
    wait(stage, 70)
    keep(minute())

    assert newest() == NOON + 60


def test_an_hour_is_written_by_the_first_audit_of_the_next_one_alone(stage: Stage) -> None:
    keep(minute(dead=1))
    for number in range(3):
        wait(stage, HOUR_SEC + 60 * number)
        keep(minute())

    log = stage.world.store.table("runs").rows._log  # noqa: SLF001  # the store's own log
    hours = [key[1] for _, key, _ in log if key[0] == "stat#hours"]
    assert hours == ["2026-11-18T11:00:00Z", "2026-11-18T12:00:00Z"]
