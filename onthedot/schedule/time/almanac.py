"""Holds the Gregorian calendar from 1970 to 2199 as masks over the days of a year."""

from __future__ import annotations

from onthedot.schedule.expression.dialect import YEAR_MAX, YEAR_MIN

DAY_SEC = 86_400
_LENGTHS = (31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31)
_THURSDAY = 4


def is_leap(year: int) -> bool:
    """Tells whether the year has a 29 February."""
    return year % 4 == 0 and (year % 100 != 0 or year % 400 == 0)


def weekday_of_day(day: int) -> int:
    """Returns the weekday, counted from 0 = Sunday. Day 0 is 1970-01-01, a Thursday."""
    return (day + _THURSDAY) % 7


def _year_days() -> tuple[int, ...]:
    days = [0]
    for year in range(YEAR_MIN, YEAR_MAX + 1):
        days.append(days[-1] + 365 + is_leap(year))
    return tuple(days)


# YEAR_DAYS[n] is the first day of 1970 + n. The last entry is the end of the calendar.
YEAR_DAYS = _year_days()
# The shape of a year is the weekday of its first day, plus 7 in a leap year.
SHAPES = tuple(
    weekday_of_day(YEAR_DAYS[year - YEAR_MIN]) + 7 * is_leap(year)
    for year in range(YEAR_MIN, YEAR_MAX + 1)
)
SHAPE_COUNT = 14


class Months:
    """Masks over the days of a common year or a leap year. Bit 0 is 1 January."""

    def __init__(self, *, leap: bool) -> None:
        """Builds the masks month by month."""
        self.month = [0] * 13
        # Bit 0 of `day` is the last day of each month. `nearest_to` moves a 31st to the month's
        # end.
        self.day = [0] * 32
        self.nearest_to = [0] * 32
        self.week = [0] * 6
        start = 0
        for month, common in enumerate(_LENGTHS, 1):
            length = common + (leap and month == 2)
            self.month[month] = ((1 << length) - 1) << start
            for day in range(1, length + 1):
                self.day[day] |= 1 << (start + day - 1)
                self.week[(day - 1) // 7] |= 1 << (start + day - 1)
            for day in range(1, 32):
                self.nearest_to[day] |= 1 << (start + min(day, length) - 1)
            self.day[0] |= 1 << (start + length - 1)
            self.week[5] |= 0b1111111 << (start + length - 7)
            start += length
        self.whole = (1 << start) - 1


COMMON, LEAP = Months(leap=False), Months(leap=True)
# Every seventh day of a year, from its first day.
_SEVENTH = sum(1 << day for day in range(0, 366 + 7, 7))


def weekly(shape: int, weekdays: int) -> int:
    """Returns the days of a year that fall on any of the weekdays."""
    january = shape % 7
    days = 0
    while weekdays:
        lowest = weekdays & -weekdays
        days |= _SEVENTH << ((lowest.bit_length() - 1 - january) % 7)
        weekdays ^= lowest
    return days
