"""Explains why an expression never fires, and names the date that never comes."""

from __future__ import annotations

from typing import TYPE_CHECKING

from onthedot.schedule.expression.cron import EVERY_YEAR
from onthedot.schedule.expression.dialect import DAY, MONTH, split
from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.time.almanac import COMMON, LEAP

if TYPE_CHECKING:
    from onthedot.schedule.expression.cron import Cron

MONTH_NAMES = (
    "January",
    "February",
    "March",
    "April",
    "May",
    "June",
    "July",
    "August",
    "September",
    "October",
    "November",
    "December",
)


def never_fires(text: str, seconds: str, cron: Cron) -> ScheduleError:
    """Returns the error: the field with a day that does not exist, and the nearest that does."""
    placed = split(text, seconds)
    fields = {} if isinstance(placed, int) else {part.kind.name: part for part in placed}
    months = [month for month in range(1, MONTH.high + 1) if cron.months >> month & 1]
    day = ((cron.days >> 1) & -(cron.days >> 1)).bit_length()
    longest = max(LEAP.month[month].bit_count() for month in months)
    name, suggestion = DAY.name, None
    # The day must match, and none of these months has it. The weekday cannot replace it.
    if cron.both_days and not cron.days & 1 and not cron.nearest and day > longest:
        message = _lacking(day, [MONTH_NAMES[month - 1] for month in months])
        suggestion = str(min(COMMON.month[month].bit_count() for month in months))
    elif cron.years != EVERY_YEAR:
        name, message = "year", "None of the years that are given has this date."
    else:
        message = "No day is both: the day of the month and the day of the week exclude each other."
    part = fields[name]
    return ScheduleError("never_fires", message, suggestion=suggestion).within(
        text, part.at, len(part.text), name
    )


def _lacking(day: int, months: list[str]) -> str:
    if len(months) == 1:
        return f"{day} {months[0]} never comes."
    return f"{', '.join(months[:-1])} and {months[-1]} have no day {day}."
