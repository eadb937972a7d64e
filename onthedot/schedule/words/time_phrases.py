"""Writes the time of day of an expression in English."""

from __future__ import annotations

from onthedot.schedule.expression.cron import Cron
from onthedot.schedule.expression.kinds import HOUR, MINUTE, SECOND, Kind
from onthedot.schedule.words.phrases import every_nth, joined, listed, members, step_of

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
