"""Warns of valid expressions that are often misread, and of clock changes that are near."""

from __future__ import annotations

import re
from dataclasses import dataclass

from onthedot.schedule.expression.dialect import Placed, split
from onthedot.schedule.expression.kinds import AWS_WEEKDAY, WEEKDAY
from onthedot.schedule.schedule import Schedule
from onthedot.schedule.words.clock_changes import changes_ahead

# Matches neither the week in MON#1 nor the step in */2. 7 is Saturday in AWS and Sunday here.
_DAY_NUMBER = re.compile(r"(?<![#/])[1-7]")
_STEP = re.compile(r"(?:^|,)\*/([0-9]+)")


@dataclass(frozen=True, slots=True)
class Warned:
    """A code, a sentence, and the local date that it is about, if any."""

    code: str
    detail: str
    date: str | None = None


def warnings_of(
    schedule: Schedule, text: str, after: int, *, seconds: str = "first"
) -> list[Warned]:
    """Warns of the coming clock changes and of what is often misread."""
    changes = [
        Warned(change.code, change.detail, f"{change.day:%Y-%m-%d}")
        for change in changes_ahead(schedule, after)
    ]
    return [*changes, *_misreadings(text, seconds)]


def _misreadings(text: str, seconds: str) -> list[Warned]:
    placed = split(text, seconds)
    if isinstance(placed, int):
        return []
    steps = [_long_step(part) for part in placed]
    return [warned for warned in [_day_numbers(placed), *steps] if warned]


def _day_numbers(placed: tuple[Placed, ...]) -> Warned | None:
    """Warns of weekday numbers beside a question mark: in AWS and Quartz 1 is Sunday."""
    asked = any(part.text == "?" for part in placed)
    for part in placed:
        if asked and part.kind is WEEKDAY and _DAY_NUMBER.search(part.text):
            detail = "Here days count from 0 = Sunday, so 1 is Monday. Names such as MON are safer."
            return Warned("day_numbers", detail)
    return None


def _long_step(part: Placed) -> Warned | None:
    kind = part.kind
    for match in _STEP.finditer(part.text):
        if int(match[1]) >= kind.size and kind is not AWS_WEEKDAY:
            detail = (
                f"A step of {match[1]} is longer than the {kind.name} field: only {kind.low} "
                "matches. For elapsed time write @every, such as @every 90m."
            )
            return Warned("long_step", detail)
    return None
