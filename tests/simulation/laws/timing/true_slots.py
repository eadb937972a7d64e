"""Slots by brute force, for the laws: each second of a wall clock, never the engine under test."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from functools import lru_cache

from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.dst_stretches import Policy
from onthedot.schedule.expression.cron import Cron
from onthedot.schedule.schedule import Schedule
from tests.schedule.oracles import instant
from tests.schedule.oracles.fields import Reading, read
from tests.schedule.oracles.wall import HOUR, MINUTE, Window, changes, offset_at, wall_of, window

# A change of the clock so near to an hour may add or repeat one of its walls.
_NEAR_SEC = 4 * HOUR
_AT_ZERO = 1


def slots(task: Task, after: float, until: float) -> Iterator[int]:
    """Gives the slots strictly after an instant and before another, calendars left out."""
    return of(task.schedule, after, until)


def of(schedule: Schedule, after: float, until: float) -> Iterator[int]:
    """Gives those of a schedule."""
    first = int(after) + 1 if schedule.start_at is None else max(int(after) + 1, schedule.start_at)
    last = until if schedule.end_at is None else min(until, schedule.end_at + 1)
    if not isinstance(schedule.rule, Cron):
        step = schedule.rule.seconds
        yield from range(-(-first // step) * step, -int(-last // 1), step)
        return
    hour = first // HOUR
    while hour * HOUR < last:
        fires = _fires(schedule.rule, schedule.timezone, schedule.policy, hour)
        yield from fires[bisect_left(fires, first) : bisect_left(fires, last)]
        hour += 1


def is_slot(task: Task, at: int) -> bool:
    """Tells whether the task has a slot at this very second."""
    return any(slots(task, at - 1, at + 1))


def due_at(task: Task, slot: int) -> int:
    """Adds the jitter, but never as far as the next slot."""
    jitter = task.schedule.jitter_offset_sec
    following = next(slots(task, slot, slot + jitter + 1), None)
    return slot + (jitter if following is None else following - slot - 1)


def closing(task: Task, at: int) -> str:
    """Names the calendar that is closed at this instant; empty for none."""
    for one in task.blackouts:
        wall = wall_of(at + offset_at(one["timezone"], at))
        days = [_days(text) for text in one["dates"]]
        if any(first <= wall.date() <= last for first, last in days):
            return str(one["name"])
        if one["cron"] and read(one["cron"]).matches(wall.replace(second=0)):
            return str(one["name"])
    return ""


def _days(text: str) -> tuple[date, date]:
    first, _, last = text.partition("/")
    return date.fromisoformat(first), date.fromisoformat(last or first)


@lru_cache(maxsize=4096)
def _fires(rule: Cron, zone: str, policy: Policy, hour: int) -> list[int]:
    """Gives the fires of one hour of the world's time."""
    begin, end = hour * HOUR, (hour + 1) * HOUR
    if near := changes(zone, begin - _NEAR_SEC, end + _NEAR_SEC):
        fires = _around(rule, zone, policy, near)
    elif _names(_reading(rule), begin + offset_at(zone, begin)):
        fires = _told(rule, policy, _window(rule, zone, begin, end))
    else:
        return []
    return fires[bisect_left(fires, begin) : bisect_right(fires, end - 1)]


@lru_cache(maxsize=64)
def _around(rule: Cron, zone: str, policy: Policy, moved: tuple[int, ...]) -> list[int]:
    """Gives the fires of a night in which the clock moves, for all of its hours at once."""
    far = 2 * _NEAR_SEC + HOUR
    return _told(rule, policy, _window(rule, zone, moved[0] - far, moved[-1] + far))


def _names(reading: Reading, wall: int) -> bool:
    """Tells whether an hour from this wall time on, on a clock that does not move, may have a
    fire.
    """
    ends = (wall_of(wall), wall_of(wall + HOUR - 1))
    return any(end.hour in reading.hours and reading.on(end.date()) for end in ends)


def _window(rule: Cron, zone: str, begin: int, end: int) -> Window:
    return window(zone, begin, end, MINUTE if rule.seconds == _AT_ZERO else 1)


def _told(rule: Cron, policy: Policy, seen: Window) -> list[int]:
    mode = "interval" if policy.elapsed else "fixed"
    told = instant.Policy(mode=mode, gap=policy.gap, overlap=policy.overlap)
    return instant.fires(seen, _reading(rule), told)


@lru_cache(maxsize=512)
def _reading(rule: Cron) -> Reading:
    assert not rule.nearest, "no history has a schedule of nearest weekdays"
    assert not rule.nth, "no history has a schedule of numbered weekdays"
    return Reading(
        text=str(rule),
        seconds=_numbers(rule.seconds),
        minutes=_numbers(rule.minutes),
        hours=_numbers(rule.hours),
        months=_numbers(rule.months),
        years=frozenset(1970 + year for year in _numbers(rule.years)),
        days_of_month=(_day_of_month(_numbers(rule.days)),),
        days_of_week=(_day_of_week(_numbers(rule.weekdays)),),
        needs_both=rule.both_days,
        interval=rule.starred,
    )


def _numbers(mask: int) -> frozenset[int]:
    return frozenset(number for number in range(mask.bit_length()) if mask >> number & 1)


def _day_of_month(days: frozenset[int]) -> Callable[[date], bool]:
    """Zero stands for the last day of a month."""
    return lambda day: day.day in days or (0 in days and (day + timedelta(days=1)).day == 1)


def _day_of_week(weekdays: frozenset[int]) -> Callable[[date], bool]:
    return lambda day: day.isoweekday() % 7 in weekdays
