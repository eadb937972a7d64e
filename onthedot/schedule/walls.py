"""Walks over wall-clock seconds: the first match at or after one, and the last at or before.

The days that an expression names are bit masks of a year.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from typing import TYPE_CHECKING

from onthedot.schedule.expression.dialect import DAY, MONTH, WEEKDAY
from onthedot.schedule.time.almanac import (
    COMMON,
    DAY_SEC,
    LEAP,
    SHAPE_COUNT,
    SHAPES,
    YEAR_DAYS,
    Months,
    weekly,
)

if TYPE_CHECKING:
    from onthedot.schedule.expression.cron import Cron

_MONDAY_TO_FRIDAY = 0b0111110
_SATURDAY = 0b1000000
_SUNDAY = 0b0000001


def days_of(cron: Cron, shape: int) -> int:
    """Returns the mask of these days in a year of this shape. Bit 0 is 1 January."""
    months = LEAP if shape >= 7 else COMMON
    by_date = _by_date(cron, shape, months)
    by_weekday = _by_weekday(cron, shape, months)
    days = by_date & by_weekday if cron.both_days else by_date | by_weekday
    if cron.months != MONTH.full:
        days &= _union(months.month, cron.months)
    return days & months.whole


def _by_date(cron: Cron, shape: int, months: Months) -> int:
    days = months.whole if cron.days == DAY.full else _union(months.day, cron.days)
    if cron.nearest:
        days |= _nearest(_union(months.nearest_to, cron.nearest), shape, months)
    return days


def _nearest(days: int, shape: int, months: Months) -> int:
    """Moves Saturdays to the Friday before, Sundays to the Monday after, within the month."""
    saturdays = days & weekly(shape, _SATURDAY)
    sundays = days & weekly(shape, _SUNDAY)
    first, last = months.day[1], months.day[0]
    return (
        days & weekly(shape, _MONDAY_TO_FRIDAY)
        | (saturdays & ~first) >> 1
        | (saturdays & first) << 2
        | (sundays & ~last) << 1
        | (sundays & last) >> 2
    )


def _by_weekday(cron: Cron, shape: int, months: Months) -> int:
    days = months.whole if cron.weekdays == WEEKDAY.full else weekly(shape, cron.weekdays)
    nth = cron.nth
    while nth:
        lowest = nth & -nth
        weekday, week = divmod(lowest.bit_length() - 1, 6)
        days |= weekly(shape, 1 << weekday) & months.week[week]
        nth ^= lowest
    return days


def _union(masks: list[int], chosen: int) -> int:
    days = 0
    while chosen:
        lowest = chosen & -chosen
        days |= masks[lowest.bit_length() - 1]
        chosen ^= lowest
    return days


if TYPE_CHECKING:
    from onthedot.schedule.expression.cron import Cron

NEVER = 1 << 61
_MINUTES = 1440
_ALL_DAY = (1 << _MINUTES) - 1
_END = YEAR_DAYS[-1]
# Stands for "no day". In seconds it is NEVER or more.
_NO_DAY = NEVER // DAY_SEC + 1


class Walls:
    """The matches of one expression among wall-clock seconds since 1970, as if it were UTC."""

    __slots__ = (
        "_cron",
        "_days",
        "_first",
        "_first_second",
        "_last",
        "_seconds",
        "_times",
        "_years",
    )

    def __init__(self, cron: Cron) -> None:
        """Combines hours and minutes into one mask of the minutes of a day."""
        times, hours = 0, cron.hours
        while hours:
            lowest = hours & -hours
            times |= cron.minutes << (60 * (lowest.bit_length() - 1))
            hours ^= lowest
        self._cron = cron
        self._times = times
        self._seconds = cron.seconds
        self._years = cron.years
        self._days: list[int | None] = [None] * SHAPE_COUNT
        self._first_second = _lowest(cron.seconds)
        self._first = _lowest(times) * 60 + self._first_second
        self._last = (times.bit_length() - 1) * 60 + cron.seconds.bit_length() - 1

    def next(self, wall: int) -> int:
        """Returns the first match at or after `wall`. NEVER or more means none."""
        # The lowest bits are found inline, because a tick spends most of its time here.
        wall = max(wall, 0)
        day, second = divmod(wall, DAY_SEC)
        found = self._next_day(day)
        if found == day:
            minute, second = divmod(second, 60)
            times = self._times >> minute
            if times & 1 and (seconds := self._seconds >> second):
                return wall + (seconds & -seconds).bit_length() - 1
            if times := times >> 1:
                minute += (times & -times).bit_length()
                return day * DAY_SEC + minute * 60 + self._first_second
            found = self._next_day(day + 1)
        return found * DAY_SEC + self._first

    def prev(self, wall: int) -> int:
        """Returns the last match at or before `wall`. -NEVER or less means none."""
        day, second = divmod(min(wall, _END * DAY_SEC - 1), DAY_SEC)
        found = self._prev_day(day)
        if found == day:
            minute, second = divmod(second, 60)
            times = self._times & ((2 << minute) - 1)
            if times >> minute and (seconds := self._seconds & ((2 << second) - 1)):
                return day * DAY_SEC + minute * 60 + seconds.bit_length() - 1
            if times := times & ((1 << minute) - 1):
                return day * DAY_SEC + (times.bit_length() - 1) * 60 + self._last % 60
            found = self._prev_day(day - 1)
        return found * DAY_SEC + self._last

    def run(self, wall: int) -> tuple[int, int] | None:
        """Returns the run of matching minutes around `wall`: its start and the second after it."""
        day, second = divmod(wall, DAY_SEC)
        minute = second // 60
        if day < 0 or self._next_day(day) != day or not self._times >> minute & 1:
            return None
        return self._run_start(day, minute), self._run_end(day, minute)

    def _run_end(self, day: int, minute: int) -> int:
        free = ~self._times & _ALL_DAY
        while True:
            if later := free >> minute:
                return day * DAY_SEC + (minute + _lowest(later)) * 60
            day, minute = day + 1, 0
            if self._next_day(day) != day:
                return day * DAY_SEC

    def _run_start(self, day: int, minute: int) -> int:
        free = ~self._times & _ALL_DAY
        while True:
            if earlier := free & ((1 << minute) - 1):
                return day * DAY_SEC + earlier.bit_length() * 60
            if self._prev_day(day - 1) != day - 1:
                return day * DAY_SEC
            day, minute = day - 1, _MINUTES

    def _of_year(self, year: int) -> int:
        shape = SHAPES[year]
        days = self._days[shape]
        if days is None:
            days = self._days[shape] = days_of(self._cron, shape)
        return days

    def _next_day(self, day: int) -> int:
        """Returns the first matching day at or after `day`. `_NO_DAY` or more means none."""
        if day >= _END:
            return _NO_DAY
        year = bisect_right(YEAR_DAYS, day) - 1
        if self._years >> year & 1:
            days = self._of_year(year) >> (day - YEAR_DAYS[year])
            if days:
                return day + (days & -days).bit_length() - 1
        while later := self._years >> (year + 1):
            year += (later & -later).bit_length()
            if days := self._of_year(year):
                return YEAR_DAYS[year] + _lowest(days)
        return _NO_DAY

    def _prev_day(self, day: int) -> int:
        """Returns the last matching day at or before `day`. A negative day means none."""
        if day < 0:
            return -_NO_DAY
        year = bisect_right(YEAR_DAYS, day) - 1
        if self._years >> year & 1:
            days = self._of_year(year) & ((2 << (day - YEAR_DAYS[year])) - 1)
            if days:
                return YEAR_DAYS[year] + days.bit_length() - 1
        while earlier := self._years & ((1 << year) - 1):
            year = earlier.bit_length() - 1
            if days := self._of_year(year):
                return YEAR_DAYS[year] + days.bit_length() - 1
        return -_NO_DAY


@lru_cache(4096)
def walls_of(cron: Cron) -> Walls:
    """Returns the walk of an expression, with cached days. All its tasks share it."""
    return Walls(cron)


def _lowest(mask: int) -> int:
    return (mask & -mask).bit_length() - 1
