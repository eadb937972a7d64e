"""Finds the days of a year that a cron expression names."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onthedot.schedule.expression.dialect import DAY, MONTH, WEEKDAY
from onthedot.schedule.time.almanac import COMMON, LEAP, Months, weekly

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
