"""Writes the days, months and years of an expression in English."""

from __future__ import annotations

from onthedot.schedule.expression.cron import EVERY_YEAR, Cron
from onthedot.schedule.expression.kinds import DAY, MONTH, WEEKDAY, YEAR_MIN
from onthedot.schedule.never_reasons import MONTH_NAMES
from onthedot.schedule.words.phrases import ORDINALS, every_nth, joined, listed, members

WEEKDAY_NAMES = (
    "Sunday",
    "Monday",
    "Tuesday",
    "Wednesday",
    "Thursday",
    "Friday",
    "Saturday",
)


def date_phrase(cron: Cron) -> str:
    """Writes the days with the AND or OR that the engine applies, then the months and years."""
    parts = [_day_phrase(cron)]
    if cron.months != MONTH.full:
        months = members(cron.months)
        stepped = every_nth(months, "month", _month_name)
        parts.append(f"in {stepped or listed(months, _month_name)}")
    if cron.years != EVERY_YEAR:
        years = [YEAR_MIN + year for year in members(cron.years)]
        parts.append(f"in {every_nth(years, 'year') or listed(years)}")
    return " ".join(parts)


def _month_name(month: int) -> str:
    return MONTH_NAMES[month - 1]


def _day_phrase(cron: Cron) -> str:
    by_date = cron.days != DAY.full
    by_weekday = cron.weekdays != WEEKDAY.full
    if by_date and by_weekday:
        if cron.both_days:
            return f"on {_dates(cron)}, but only on {_weekdays(cron)}"
        return f"on {_dates(cron)} and also on {_weekdays(cron)}"
    if not cron.both_days:
        return "every day"
    if by_date:
        return f"on {_dates(cron)}"
    return f"on {_weekdays(cron)}" if by_weekday else "every day"


def _dates(cron: Cron) -> str:
    words = []
    if days := members(cron.days >> 1):
        numbers = [day + 1 for day in days]
        plain = f"day{'s' * (len(numbers) > 1)} {listed(numbers)}"
        words.append(every_nth(numbers, "day") or plain)
    if cron.days & 1:
        words.append("the last day")
    words += [_nearest(day) for day in members(cron.nearest)]
    return f"{joined(words)} of the month"


def _nearest(day: int) -> str:
    if day == DAY.high:
        return "the last weekday (Monday to Friday)"
    return f"the weekday (Monday to Friday) nearest day {day}"


def _weekdays(cron: Cron) -> str:
    words = []
    if days := members(cron.weekdays):
        words.append(listed(days, lambda day: WEEKDAY_NAMES[day]))
    for bit in members(cron.nth):
        day, week = divmod(bit, len(ORDINALS))
        words.append(f"the {ORDINALS[week]} {WEEKDAY_NAMES[day]}")
    return joined(words) + " of the month" * bool(cron.nth)
