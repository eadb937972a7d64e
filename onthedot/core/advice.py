"""What is worth a warning in a schedule that is valid: it may not mean what its author thinks."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from onthedot.core.changes import changes_ahead
from onthedot.core.dialect import Placed, split
from onthedot.core.kinds import AWS_WEEKDAY, WEEKDAY
from onthedot.core.numbers import LATE_SEC
from onthedot.core.schedule import Schedule
from onthedot.core.web import BODILESS

# Neither the week in MON#1 nor the step in */2; 7 is Saturday there and Sunday here.
_DAY_NUMBER = re.compile(r"(?<![#/])[1-7]")
_NAMES_PAYLOAD = re.compile(r"\{\{\s*payload\b")
_STEP = re.compile(r"(?:^|,)\*/([0-9]+)")


@dataclass(frozen=True, slots=True)
class Warned:
    """A code, a sentence, and the local date that it concerns if it is about one."""

    code: str
    detail: str
    date: str | None = None


def warnings_of(
    schedule: Schedule, text: str, after: int, *, seconds: str = "first"
) -> list[Warned]:
    """Warn of the coming changes of the clock and of what is often misread."""
    changes = [
        Warned(change.code, change.detail, f"{change.day:%Y-%m-%d}")
        for change in changes_ahead(schedule, after)
    ]
    return [*changes, *_misreadings(text, seconds)]


def pause_near(failures: int, most: int) -> Warned:
    """Warn of the pause that further deaths bring."""
    died = "The last run died." if failures == 1 else f"The last {failures} runs died."
    detail = (
        f"{died} After {most} deaths in a row the schedule is paused (pause_after_deaths). "
        "One success starts the count again."
    )
    return Warned("pause_near", detail)


def grace_short(grace_sec: int) -> list[Warned]:
    """Warn of a grace that is shorter than the time after which a slot is late at all."""
    if grace_sec >= LATE_SEC:
        return []
    detail = (
        f"misfire_grace_sec is {grace_sec} and acts as {LATE_SEC}: a slot is late only "
        f"{LATE_SEC} s after it was due."
    )
    return [Warned("grace_short", detail)]


def payload_unsent(target: Mapping[str, Any], payload: object) -> list[Warned]:
    """Warn of a payload that a request without a body leaves behind."""
    method = target.get("method", "POST")
    if target.get("type") != "http" or method not in BODILESS or not payload:
        return []
    named = [target["url"], *target.get("headers", {}).values()]
    if any(_NAMES_PAYLOAD.search(text) for text in named):
        return []
    detail = (
        f"{method} sends no body, so the payload goes nowhere. Name its fields in the url or in a "
        "header, as {{payload.field}}, or use POST."
    )
    return [Warned("payload_unsent", detail)]


def unknown_handler(name: str, near: str | None) -> Warned:
    """Warn of a handler that no deployment has brought yet."""
    meant = f" Did you mean '{near}'?" if near else ""
    detail = f"No handler in jobs/ is called '{name}': its runs are dead until one is.{meant}"
    return Warned("unknown_handler", detail)


def undone(managed_by: str) -> Warned:
    """Warn of a change to what code declares."""
    detail = (
        f"It is declared in code ({managed_by}): the next deployment undoes this change. "
        "Change it in the code as well, or set managed_by to api."
    )
    return Warned("managed_by_code", detail)


def _misreadings(text: str, seconds: str) -> list[Warned]:
    placed = split(text, seconds)
    if isinstance(placed, int):
        return []
    steps = [_long_step(part) for part in placed]
    return [warned for warned in [_day_numbers(placed), *steps] if warned]


def _day_numbers(placed: tuple[Placed, ...]) -> Warned | None:
    """A question mark is what people write who come from AWS or Quartz, where 1 is Sunday."""
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
