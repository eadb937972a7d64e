"""A calendar takes its time out of a schedule: nothing more, nothing less, and by jumps."""

from __future__ import annotations

import time
from datetime import date, datetime
from random import Random
from typing import Any

import pytest

from onthedot.schedule.calendar_times import EXCLUDED_MAX, Outside, compile_calendar
from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.schedule import Schedule, compile_schedule
from onthedot.schedule.slots import ElapsedSlots
from onthedot.schedule.time.instants import nominal, parse_instant
from tests.schedule.oracles.wall import pinned_zone

DAY = 86_400
HOLIDAYS = ("2026-12-24/2027-01-02", "2027-03-28", "2027-03-14", "2026-10-25", "2027-11-07")
# Midnight is missing or comes twice on one of the holidays, or the clock changes within it.
ZONES = "UTC Asia/Beirut Atlantic/Azores America/New_York Africa/Cairo Asia/Kolkata".split()
NEVER_SEC = 2.0


class Counted:
    """Slots that count how often they are asked."""

    def __init__(self, seconds: int) -> None:
        self.asked = 0
        self._slots = ElapsedSlots(seconds)

    def next(self, after: int) -> int | None:
        self.asked += 1
        return self._slots.next(after)

    def prev(self, before: int) -> int | None:
        self.asked += 1
        return self._slots.prev(before)


def at(text: str) -> int:
    return parse_instant(text, "after")


def is_holiday(name: str, instant: int) -> bool:
    """Looks at the wall's date in the wheel's own zone."""
    shown = datetime.fromtimestamp(instant, pinned_zone(name)).date()
    spans = [text.partition("/") for text in HOLIDAYS]
    days = [(date.fromisoformat(one), date.fromisoformat(end or one)) for one, _, end in spans]
    return any(first <= shown <= last for first, last in days)


@pytest.mark.deep
@pytest.mark.parametrize("calendar_zone", ZONES)
@pytest.mark.parametrize("text", ["*/30 * * * *", "0 9 * * *", "@every 50m", "30 0,23 * * *"])
def test_a_slot_is_excluded_exactly_when_its_wall_shows_such_a_day(
    text: str, calendar_zone: str
) -> None:
    calendar = compile_calendar("holidays", timezone=calendar_zone, dates=HOLIDAYS)
    every = compile_schedule(text, timezone="America/New_York")
    open_days = compile_schedule(text, timezone="America/New_York", calendars=[calendar])
    first, last = at("2026-10-25T00:00:00Z"), at("2027-11-20T00:00:00Z")
    expected = _between(every, first, last)
    expected = [slot for slot in expected if not is_holiday(calendar_zone, slot)]

    assert _between(open_days, first, last) == expected


@pytest.mark.parametrize("cron", ["* 22-5 * * *", "* * * * SAT,SUN", "30-59 12 1 * *", "0 9 * * *"])
@pytest.mark.parametrize("zone", ["America/New_York", "Asia/Beirut", "UTC"])
def test_a_cron_blacks_out_the_minutes_that_it_matches(cron: str, zone: str) -> None:
    calendar = compile_calendar("nights", timezone=zone, cron=cron)
    matching = compile_schedule(cron, timezone=zone, dst_mode="interval")
    every = compile_schedule("*/30 * * * * *", timezone="UTC")
    closed = compile_schedule("*/30 * * * * *", timezone="UTC", calendars=[calendar])
    for change in ("2027-03-13T20:00:00Z", "2027-11-06T20:00:00Z", "2027-03-27T18:00:00Z"):
        first, last = at(change), at(change) + 2 * DAY
        expected = [
            slot for slot in _between(every, first, last) if not matching.matches(slot - slot % 60)
        ]

        assert _between(closed, first, last) == expected


def test_several_calendars_exclude_what_any_of_them_excludes() -> None:
    calendars = [
        compile_calendar("weekends", cron="* * * * SAT,SUN"),
        compile_calendar("holidays", dates=["2026-12-24/2027-01-03"]),
        compile_calendar("nights", cron="* 0-8 * * *"),
    ]
    schedule = compile_schedule("0 */4 * * *", calendars=calendars)
    fires = _between(schedule, at("2026-12-23T21:00:00Z"), at("2027-01-05T00:00:00Z"))

    assert [nominal(slot) for slot in fires] == [
        "2027-01-04T12:00:00Z",
        "2027-01-04T16:00:00Z",
        "2027-01-04T20:00:00Z",
    ]


@pytest.mark.parametrize("zone", ZONES)
def test_prev_mirrors_next(zone: str) -> None:
    calendars = [
        compile_calendar("holidays", timezone=zone, dates=HOLIDAYS),
        compile_calendar("nights", timezone=zone, cron="* 20-6 * * *"),
    ]
    schedule = compile_schedule("*/20 * * * *", timezone="America/New_York", calendars=calendars)
    dice = Random(zone)
    span = range(at("2026-10-25T00:00:00Z"), at("2027-11-20T00:00:00Z"))
    for moment in dice.sample(span, 300):
        following = schedule.next(moment)
        assert following is not None
        before = schedule.prev(following)
        assert before is not None

        assert before <= moment < following
        assert schedule.next(before) == following


@pytest.mark.parametrize("seconds", [1, 60, 3600])
def test_an_excluded_range_is_jumped_whatever_lies_in_it(seconds: int) -> None:
    calendar = compile_calendar("decade", dates=["2026-01-01/2035-12-31"])
    slots = Counted(seconds)
    outside = Outside(slots, [calendar])

    assert outside.next(at("2026-05-05T05:05:05Z")) == at("2036-01-01T00:00:00Z")
    assert outside.prev(at("2026-05-05T05:05:05Z")) == at("2026-01-01T00:00:00Z") - seconds
    assert slots.asked == 4


def test_days_that_follow_one_another_are_one_range() -> None:
    days = [f"2026-12-{day:02}" for day in range(31, 0, -1)]
    one = compile_calendar("x", dates=["2026-12-01/2026-12-31"])
    many = compile_calendar("x", dates=days)
    overlapping = compile_calendar(
        "x", dates=["2026-12-10/2026-12-31", "2026-12-01/2026-12-20", "2026-12-05"]
    )

    assert one == many == overlapping


def test_a_nightly_blackout_takes_one_jump_a_night() -> None:
    slots = Counted(1)
    outside = Outside(slots, [compile_calendar("nights", cron="* 20-7 * * *")])

    assert outside.next(at("2026-12-01T19:59:59Z")) == at("2026-12-02T08:00:00Z")
    assert slots.asked == 2


def test_a_day_that_a_zone_never_had_excludes_nothing() -> None:
    calendar = compile_calendar("lost", timezone="Pacific/Apia", dates=["2011-12-30"])
    around = range(at("2011-12-28T00:00:00Z"), at("2012-01-02T00:00:00Z"), 600)

    assert [instant for instant in around if calendar.block(instant)] == []


@pytest.mark.parametrize(
    ("zone", "day", "first", "after"),
    [
        ("UTC", "2026-12-25", "2026-12-25T00:00:00Z", "2026-12-26T00:00:00Z"),
        ("Asia/Beirut", "2027-03-28", "2027-03-27T22:00:00Z", "2027-03-28T21:00:00Z"),
        ("Asia/Beirut", "2027-03-27", "2027-03-26T22:00:00Z", "2027-03-27T22:00:00Z"),
        ("Atlantic/Azores", "2026-10-25", "2026-10-25T00:00:00Z", "2026-10-26T01:00:00Z"),
        ("Pacific/Kiritimati", "2026-12-25", "2026-12-24T10:00:00Z", "2026-12-25T10:00:00Z"),
    ],
)
def test_a_day_lasts_from_its_first_instant_to_the_first_of_the_next(
    zone: str, day: str, first: str, after: str
) -> None:
    calendar = compile_calendar("day", timezone=zone, dates=[day])

    assert calendar.block(at(first)) == (at(first), at(after))
    assert calendar.block(at(after) - 1) == (at(first), at(after))
    assert calendar.block(at(first) - 1) is None
    assert calendar.block(at(after)) is None


@pytest.mark.parametrize("text", ["0 9 * * *", "* * * * * *", "@every 1h", "0 9 29 2 *"])
def test_a_schedule_of_which_nothing_is_left_never_fires(text: str) -> None:
    ever = compile_calendar("ever", dates=["1970-01-01/2199-12-31"])
    schedule = compile_schedule(text, calendars=[ever])

    assert schedule.next(at("2026-11-18T00:00:00Z")) is None
    assert schedule.prev(at("2026-11-18T00:00:00Z")) is None


def test_a_blackout_that_meets_every_slot_one_by_one_ends_within_bounded_time() -> None:
    slots = Counted(3600)
    outside = Outside(slots, [compile_calendar("on the hour", cron="0 * * * *")])
    started = time.process_time()

    assert outside.next(at("2026-11-18T00:00:00Z")) is None
    assert slots.asked == EXCLUDED_MAX
    assert time.process_time() - started < NEVER_SEC


@pytest.mark.parametrize(
    ("given", "code", "field"),
    [
        ({"dates": ["2026-02-30"]}, "bad_value", "dates"),
        ({"dates": ["25.12.2026"]}, "bad_value", "dates"),
        ({"dates": ["2026-12-25/2026-12-24"]}, "out_of_range", "dates"),
        ({"dates": ["1969-12-31"]}, "out_of_range", "dates"),
        ({"dates": ["2200-01-01"]}, "out_of_range", "dates"),
        ({"timezone": "EST"}, "abbreviated_timezone", "timezone"),
        ({"cron": "* * * * *"}, "never_fires", "cron"),
        ({"cron": "*/5 * * * * *"}, "unsupported", "cron"),
        ({"cron": "@every 1h"}, "unsupported", "cron"),
        ({"cron": "0 24 * * *"}, "out_of_range", "hour"),
    ],
)
def test_a_calendar_that_cannot_be_is_refused(given: dict[str, Any], code: str, field: str) -> None:
    with pytest.raises(ScheduleError) as caught:
        compile_calendar("x", **given)

    assert (caught.value.code, caught.value.field) == (code, field)


def test_the_bounds_hold_beside_the_calendars() -> None:
    calendar = compile_calendar("holidays", dates=["2026-12-25"])
    start_at, end_at = at("2026-12-24T09:00:00Z"), at("2026-12-26T09:00:00Z")
    schedule = compile_schedule("0 9 * * *", start_at=start_at, end_at=end_at, calendars=[calendar])

    assert list(schedule.slots(0)) == [start_at, end_at]
    assert schedule.prev(end_at) == start_at
    assert not schedule.matches(start_at + DAY)


def test_two_blackouts_that_leave_nothing_between_them_end_within_bounded_time() -> None:
    halves = [
        compile_calendar("mornings", cron="* 0-11 * * *"),
        compile_calendar("evenings", cron="* 12-23 * * *"),
    ]
    schedule = compile_schedule("* * * * *", calendars=halves)
    started = time.process_time()

    assert schedule.next(at("2026-11-18T00:00:00Z")) is None
    assert time.process_time() - started < NEVER_SEC


def _between(schedule: Schedule, first: int, last: int) -> list[int]:
    slots = []
    for slot in schedule.slots(first - 1):
        if slot >= last:
            break
        slots.append(slot)
    return slots
