"""Defines the seven kinds of field in a cron expression: their bounds, names and words."""

from __future__ import annotations

from dataclasses import dataclass

MONTHS = ("JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC")
WEEKDAYS = ("SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT")
YEAR_MIN = 1970
YEAR_MAX = 2199


# Compared by identity, because kinds are keys of every cache.
@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class Kind:
    """One kind of field: `low`..`high` is the meaning of `*`, `top` the largest number accepted."""

    name: str
    noun: str
    low: int
    high: int
    top: int
    names: tuple[str, ...] = ()

    @property
    def size(self) -> int:
        """Returns the number of values in the whole field."""
        return self.high - self.low + 1

    @property
    def full(self) -> int:
        """Returns the mask of the whole field."""
        return ((1 << self.size) - 1) << self.low

    def folded(self, number: int) -> int:
        """Brings a number that counted past the end back into the field."""
        return (number - self.low) % self.size + self.low


def _numbered(name: str, noun: str, *, low: int, high: int) -> Kind:
    return Kind(name=name, noun=noun, low=low, high=high, top=high)


SECOND = _numbered("second", "a second", low=0, high=59)
MINUTE = _numbered("minute", "a minute", low=0, high=59)
HOUR = _numbered("hour", "an hour", low=0, high=23)
DAY = _numbered("day_of_month", "a day of the month", low=1, high=31)
MONTH = Kind(name="month", noun="a month", low=1, high=12, top=12, names=MONTHS)
# 7 is Sunday again. `*` and `a/n` count from 0 to 6, or Sunday would fire twice.
WEEKDAY = Kind(name="day_of_week", noun="a day", low=0, high=6, top=7, names=WEEKDAYS)
# AWS counts days from 1 = Sunday. In the masks of both kinds bit 0 is Sunday.
AWS_WEEKDAY = Kind(name="day_of_week", noun="a day", low=1, high=7, top=7, names=WEEKDAYS)
YEAR = _numbered("year", "a year", low=YEAR_MIN, high=YEAR_MAX)
