"""Says in English when an expression fires: sets of numbers, dates, times, whole schedules.

Different sets get different phrases.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from onthedot.schedule.expression.cron import EVERY_YEAR, Cron, Every
from onthedot.schedule.expression.dialect import (
    DAY,
    HOUR,
    MINUTE,
    MONTH,
    SECOND,
    WEEKDAY,
    YEAR_MIN,
    Kind,
)
from onthedot.schedule.never_reasons import MONTH_NAMES
from onthedot.schedule.schedule import Schedule
from onthedot.schedule.time.instants import nominal
from onthedot.schedule.words.expression_warnings import Change, changes_ahead

ORDINALS = ("first", "second", "third", "fourth", "fifth", "last")
_RUN_MIN = 3


def members(mask: int) -> list[int]:
    """Returns the bits that are set."""
    return [bit for bit in range(mask.bit_length()) if mask >> bit & 1]


def joined(words: Sequence[str], last: str = "and") -> str:
    """Joins words as "a, b and c"."""
    if len(words) < 2:
        return "".join(words)
    return f"{', '.join(words[:-1])} {last} {words[-1]}"


def step_of(kind: Kind, values: Sequence[int]) -> int | None:
    """Returns n if the values are every n-th of the whole field, with the wrap-around."""
    if len(values) < _RUN_MIN or values[0] != kind.low:
        return None
    step = values[1] - values[0]
    if kind.size % step:
        return None
    return step if list(range(kind.low, kind.high + 1, step)) == list(values) else None


def every_nth(values: Sequence[int], noun: str, name: Callable[[int], str] = str) -> str | None:
    """Writes a stepped run that covers part of the field: every 2nd hour from 08 through 18."""
    if len(values) < _RUN_MIN or (step := values[1] - values[0]) == 1:
        return None
    if list(range(values[0], values[-1] + 1, step)) != list(values):
        return None
    suffix = {2: "nd", 3: "rd", 22: "nd", 23: "rd", 21: "st"}.get(step, "th")
    return f"every {step}{suffix} {noun} from {name(values[0])} through {name(values[-1])}"


def listed(values: Sequence[int], name: Callable[[int], str] = str) -> str:
    """Writes runs as `a through b`, and the rest one by one."""
    words, rest = [], list(values)
    while rest:
        length = _leading_run(rest)
        run, rest = rest[:length], rest[length:]
        words.append(f"{name(run[0])} through {name(run[-1])}" if length > 1 else name(run[0]))
    return joined(words)


def _leading_run(values: Sequence[int]) -> int:
    length = 1
    while length < len(values) and values[length] == values[0] + length:
        length += 1
    return length if length >= _RUN_MIN else 1


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


_CLOCK_TIMES_MAX = 6


def time_phrase(cron: Cron) -> str:
    """Writes clock times if they are few, else seconds, minutes and hours one after another."""
    seconds, minutes, hours = members(cron.seconds), members(cron.minutes), members(cron.hours)
    if len(seconds) * len(minutes) * len(hours) <= _CLOCK_TIMES_MAX:
        shown = [_clock(h, m, s) for h in hours for m in minutes for s in seconds]
        return f"At {joined(shown)}"
    phrases = [] if seconds == [0] else [_within(SECOND, seconds)]
    if len(minutes) < MINUTE.size or not phrases:
        phrases.append(_minute_phrase(minutes, hours, alone=not phrases))
    elif len(seconds) == 1 or not step_of(SECOND, seconds):
        phrases[0] += " of every minute"
    if len(hours) < HOUR.size:
        phrases.append(_hour_phrase(hours))
    first, *rest = [phrase for phrase in phrases if phrase]
    return ", ".join([first[0].upper() + first[1:], *rest])


def _clock(hour: int, minute: int, second: int) -> str:
    shown = f"{hour:02}:{minute:02}"
    return f"{shown}:{second:02}" if second else shown


def _minute_phrase(minutes: list[int], hours: list[int], *, alone: bool) -> str:
    if minutes == [0] and alone:
        return "every hour" if len(hours) == HOUR.size else "on the hour"
    return _within(MINUTE, minutes)


def _within(kind: Kind, values: list[int]) -> str:
    """Writes phrases such as `every 15 minutes` or `at minute 5 past the hour`."""
    noun, past = (kind.name, " past the hour" if kind is MINUTE else "")
    if len(values) == kind.size:
        return f"every {noun}"
    if step := step_of(kind, values):
        return f"every {step} {noun}s"
    if stepped := every_nth(values, noun):
        return f"at {stepped}{past}"
    return f"at {noun}{'s' * (len(values) > 1)} {listed(values)}{past}"


def _hour_phrase(hours: list[int]) -> str:
    if len(hours) == 1:
        return f"in the hour {hours[0]:02}"
    stepped = every_nth(hours, "hour", "{:02}".format)
    return f"in {stepped}" if stepped else f"in the hours {listed(hours, '{:02}'.format)}"


_UNITS = ((86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second"))


def explanation(schedule: Schedule, max_runs: int | None = None) -> str:
    """Says in one sentence when the schedule fires, and adds what limits it."""
    return " ".join([_rule_sentence(schedule), *_bounds(schedule, max_runs)])


def explanation_with_changes(schedule: Schedule, after: int, max_runs: int | None = None) -> str:
    """Adds to it what the coming clock changes will do."""
    changes = [_change_sentence(schedule, change) for change in changes_ahead(schedule, after)]
    return " ".join([explanation(schedule, max_runs), *changes])


def _rule_sentence(schedule: Schedule) -> str:
    rule = schedule.rule
    if isinstance(rule, Every):
        return f"Every {_elapsed(rule.seconds)}, counted from 1970-01-01 00:00 UTC."
    time = time_phrase(rule)
    return f"{time}{',' * (', ' in time)} {date_phrase(rule)}, {schedule.timezone}."


def _elapsed(seconds: int) -> str:
    """Writes the interval in the largest unit that divides it."""
    size, unit = next((size, unit) for size, unit in _UNITS if seconds % size == 0)
    count = seconds // size
    return unit if count == 1 else f"{count} {unit}s"


def _bounds(schedule: Schedule, max_runs: int | None) -> list[str]:
    sentences = []
    if schedule.start_at is not None:
        sentences.append(f"Not before {nominal(schedule.start_at)}.")
    if schedule.end_at is not None:
        sentences.append(f"Not after {nominal(schedule.end_at)}.")
    if max_runs is not None:
        sentences.append(f"At most {max_runs:,} run{'s' * (max_runs > 1)}.")
    if schedule.jitter_offset_sec:
        sentences.append(f"Due {schedule.jitter_offset_sec} s later (jitter).")
    if schedule.calendars:
        sentences.append(f"Never in {', '.join(calendar.name for calendar in schedule.calendars)}.")
    return sentences


def _change_sentence(schedule: Schedule, change: Change) -> str:
    day = f"{change.day.day} {change.day:%B %Y}"
    rule = schedule.rule
    once = isinstance(rule, Cron) and rule.minutes.bit_count() * rule.hours.bit_count() == 1
    shown = "that time" if once else change.note.shown
    return f"On {day} {shown} {change.note.problem}: {change.note.outcome}."
