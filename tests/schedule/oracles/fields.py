"""A naive reader of cron expressions: strings and sets, and one predicate on a wall clock.

It reads valid expressions only; it does not know zones, instants or the engine.
"""

from __future__ import annotations

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta
from functools import lru_cache
from itertools import product

DayTest = Callable[[date], bool]
MONTH_NAMES = tuple("jan feb mar apr may jun jul aug sep oct nov dec".split())
DAY_NAMES = tuple("sun mon tue wed thu fri sat".split())
YEAR_LAST = 2199


@dataclass(frozen=True, slots=True, kw_only=True)
class Span:
    """The numbers a field may hold, and the words it has for them."""

    first: int
    last: int
    names: tuple[str, ...] = ()

    def number(self, word: str) -> int:
        """Gives the number that a word of this field stands for."""
        return self.first + self.names.index(word) if word in self.names else int(word)

    def values(self, part: str) -> frozenset[int]:
        """Gives the numbers of one comma-less part: `*`, `a`, `a-b`, each perhaps `/n`."""
        body, slash, step = part.partition("/")
        low, high = self._ends(body, stepped=bool(slash))
        size = self.last - self.first + 1
        if high < low:
            high += size
        counted = range(low, high + 1, int(step or 1))
        return frozenset(self.first + (value - self.first) % size for value in counted)

    def _ends(self, body: str, *, stepped: bool) -> tuple[int, int]:
        if body in {"*", "?"}:
            return self.first, self.last
        if "-" in body:
            low, high = body.split("-")
            return self.number(low), self.number(high)
        return self.number(body), self.last if stepped else self.number(body)


SIXTY = Span(first=0, last=59)
HOUR = Span(first=0, last=23)
DAY_OF_MONTH = Span(first=1, last=31)
MONTH = Span(first=1, last=12, names=MONTH_NAMES)
DAY_OF_WEEK = Span(first=0, last=6, names=DAY_NAMES)
YEAR = Span(first=1970, last=YEAR_LAST)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Reading:
    """What an expression says, as sets of numbers and tests of a day."""

    text: str
    seconds: frozenset[int]
    minutes: frozenset[int]
    hours: frozenset[int]
    months: frozenset[int]
    years: frozenset[int]
    days_of_month: tuple[DayTest, ...]
    days_of_week: tuple[DayTest, ...]
    needs_both: bool
    interval: bool

    def on(self, day: date) -> bool:
        """Tells whether the schedule has anything to do on this day."""
        if day.month not in self.months or day.year not in self.years:
            return False
        in_month = any(test(day) for test in self.days_of_month)
        in_week = any(test(day) for test in self.days_of_week)
        return (in_month and in_week) if self.needs_both else (in_month or in_week)

    def matches(self, wall: datetime) -> bool:
        """Tells whether a clock on the wall that shows this satisfies the expression."""
        return (
            wall.second in self.seconds
            and wall.minute in self.minutes
            and wall.hour in self.hours
            and self.on(wall.date())
        )


@lru_cache(maxsize=4096)
def read(text: str, seconds: str = "first") -> Reading:
    """Reads an expression of five, six or seven fields."""
    second, minute, hour, dom, month, dow, year = _seven(text.lower().split(), seconds)
    return Reading(
        text=text,
        seconds=_numbers(second, SIXTY),
        minutes=_numbers(minute, SIXTY),
        hours=_numbers(hour, HOUR),
        months=_numbers(month, MONTH),
        years=_numbers(year, YEAR),
        days_of_month=tuple(_day_of_month(part) for part in dom.split(",")),
        days_of_week=tuple(_day_of_week(part) for part in dow.split(",")),
        needs_both=dom[0] in "*?" or dow[0] in "*?",
        interval=minute.startswith("*") or hour.startswith("*"),
    )


def matching_walls(reading: Reading, after: datetime) -> Iterator[datetime]:
    """Gives every wall-clock time later than `after` that matches, day by day."""
    day = after.date()
    while day.year <= max(reading.years):
        if reading.on(day):
            yield from (wall for wall in _times_of(reading, day) if wall > after)
        day += timedelta(days=1)


def _times_of(reading: Reading, day: date) -> Iterator[datetime]:
    times = product(sorted(reading.hours), sorted(reading.minutes), sorted(reading.seconds))
    return (datetime.combine(day, time(*at)) for at in times)


def _seven(fields: list[str], seconds: str) -> list[str]:
    if len(fields) == 5:
        return ["0", *fields, "*"]
    year = fields[6] if len(fields) > 6 else "*"
    six = fields[:6] if seconds == "first" else [fields[5], *fields[:5]]
    return [*six, year]


def _numbers(field: str, span: Span) -> frozenset[int]:
    return frozenset[int]().union(*(span.values(part) for part in field.split(",")))


def _day_of_month(part: str) -> DayTest:
    if part == "l":
        return lambda day: day.day == _days_in_month(day)
    if part == "lw":
        return lambda day: day.day == _weekdays(day)[-1]
    if part.endswith("w"):
        wanted = int(part[:-1])
        return lambda day: day.day == _nearest_weekday(day, wanted)
    values = DAY_OF_MONTH.values(part)
    return lambda day: day.day in values


def _day_of_week(part: str) -> DayTest:
    if "#" in part:
        word, count = part.split("#")
        weekday, nth = DAY_OF_WEEK.number(word) % 7, int(count)
        return lambda day: _weekday(day) == weekday and (day.day + 6) // 7 == nth
    if re.fullmatch(r"l.+|.+l", part):
        weekday = DAY_OF_WEEK.number(part.strip("l")) % 7
        return lambda day: _weekday(day) == weekday and day.day + 7 > _days_in_month(day)
    values = DAY_OF_WEEK.values(part)
    return lambda day: _weekday(day) in values


def _weekday(day: date) -> int:
    return day.isoweekday() % 7


def _days_in_month(day: date) -> int:
    return monthrange(day.year, day.month)[1]


def _weekdays(day: date) -> list[int]:
    """Gives the days of this day's month that are Monday to Friday."""
    numbers = range(1, _days_in_month(day) + 1)
    return [number for number in numbers if day.replace(day=number).isoweekday() <= 5]


def _nearest_weekday(day: date, wanted: int) -> int:
    """Gives the weekday of the month nearest to `wanted`, or to its last day when it is shorter."""
    target = min(wanted, _days_in_month(day))
    return min(_weekdays(day), key=lambda number: abs(number - target))
