"""Explains a schedule in English. The words come from the masks, so they agree with the fires."""

from __future__ import annotations

from onthedot.schedule.expression.cron import Cron, Every
from onthedot.schedule.schedule import Schedule
from onthedot.schedule.time.instants import nominal
from onthedot.schedule.words.expression_warnings import Change, changes_ahead
from onthedot.schedule.words.phrases import date_phrase, time_phrase

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
