"""`prev` is the strict inverse of `next`, second by second where clocks change and years away."""

from __future__ import annotations

from datetime import UTC, datetime
from itertools import product

import pytest

from onthedot.schedule.schedule import Schedule, compile_schedule

# A change of each kind: an hour on, an hour back, half an hour, a whole day left out.
CHANGES = [
    ("America/New_York", "2026-03-08T07:00"),
    ("America/New_York", "2026-11-01T06:00"),
    ("Australia/Lord_Howe", "2026-04-04T15:00"),
    ("Pacific/Apia", "2011-12-30T10:00"),
]
CRONS = [
    "*/20 * * * *",
    "30 1,2 * * *",
    "0 0 * * *",
    "17 2 * * *",
    "0 2 * * *",
    "0,30 2,3 * * *",
    "59 59 0-23 * * *",
]
MODES = list(product(("fire", "skip", "shift"), ("first", "last", "both")))
_HOURS = 30


def _at(text: str) -> int:
    return int(datetime.fromisoformat(text).replace(tzinfo=UTC).timestamp())


def _slots(schedule: Schedule, first: int, last: int) -> list[int]:
    found, slot = [], schedule.next(first - 1)
    while slot is not None and slot <= last:
        found.append(slot)
        slot = schedule.next(slot)
    return found


@pytest.mark.parametrize(("zone", "text"), CHANGES)
@pytest.mark.parametrize("cron", CRONS)
def test_the_slot_before_a_second_is_the_last_that_next_gives(
    zone: str, text: str, cron: str
) -> None:
    change = _at(text)
    for gap, overlap in MODES:
        schedule = compile_schedule(cron, timezone=zone, dst_gap=gap, dst_overlap=overlap)
        slots = _slots(schedule, change - 3 * 86_400, change + _HOURS * 3_600)
        around = [change + step for step in (-1, 0, 1)]
        for moment in (*around, *(slot + step for slot in slots[1:] for step in (-1, 0, 1))):
            before = [slot for slot in slots if slot < moment]
            assert schedule.prev(moment) == before[-1], (gap, overlap, moment)


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Pacific/Apia"])
def test_a_slot_that_comes_every_28_years_is_found_from_any_distance(zone: str) -> None:
    # 29 February of two years.
    schedule = compile_schedule("0 0 12 29 2 * 2032,2060", timezone=zone)
    found = _slots(schedule, _at("2026-01-01"), _at("2100-01-01"))

    for slot in found:
        for years in (0, 1, 5, 20, 27):
            assert schedule.prev(slot + 1 + years * 31_536_000) == slot


@pytest.mark.parametrize("zone", ["UTC", "America/New_York", "Pacific/Apia"])
def test_before_the_first_slot_there_is_none(zone: str) -> None:
    schedule = compile_schedule("0 0 12 1 1 * 2030", timezone=zone)
    first = schedule.next(0)

    assert first is not None
    assert schedule.prev(first) is None
    assert schedule.prev(first - 50 * 31_536_000) is None
    assert schedule.prev(first + 1) == first
    assert schedule.prev(first + 100 * 31_536_000) == first


def test_a_slot_that_comes_once_is_found_from_within_the_hour_that_is_repeated() -> None:
    text, back = "0 30 1 1 11 ? 2026", _at("2026-11-01T06:00")
    first, second = back - 1_800, back + 1_800

    def schedule(overlap: str) -> Schedule:
        return compile_schedule(text, timezone="America/New_York", dst_overlap=overlap)

    assert schedule("first").prev(back + 600) == first
    assert schedule("first").next(back - 600) is None
    assert schedule("both").next(back - 600) == second
    assert schedule("both").prev(back + 600) == first
    assert schedule("last").next(back - 7_200) == second
    assert schedule("last").prev(back + 600) is None


def test_before_any_later_second_the_last_slot_is_at_the_end() -> None:
    end = _at("2026-11-18T12:00")
    schedule = compile_schedule("* * * * * *", end_at=end)

    assert [schedule.prev(end + step) for step in (0, 1, 2, 86_400)] == [end - 1, end, end, end]
