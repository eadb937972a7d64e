"""Warns of valid expressions that are often misread, and of clock changes that are near."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from datetime import datetime

from onthedot.schedule.dst_stretches import CORRECTION_SEC
from onthedot.schedule.expression.cron import Every
from onthedot.schedule.expression.dialect import AWS_WEEKDAY, WEEKDAY, Placed, split
from onthedot.schedule.schedule import Schedule
from onthedot.schedule.time.instants import clock_of_wall, wall
from onthedot.schedule.time.zones import zone
from onthedot.schedule.walls import walls_of
from onthedot.schedule.words.dst_notes import Note, jump_at, note_of

AHEAD_SEC = 366 * 86_400


@dataclass(frozen=True, slots=True)
class Change:
    """A coming clock change, and what it does to the first slot that it touches."""

    began: int
    day: datetime
    code: str
    note: Note

    @property
    def detail(self) -> str:
        """Returns the warning as one sentence."""
        return f"On {self.day:%Y-%m-%d} {self.note.shown} {self.note.problem}; {self.note.outcome}."


def changes_ahead(schedule: Schedule, after: int) -> list[Change]:
    """Finds the first change of each kind within a year. Intervals ignore clock changes."""
    if isinstance(schedule.rule, Every) or schedule.policy.elapsed:
        return []
    place = zone(schedule.timezone)
    starts = place.segments.starts
    found: list[Change] = []
    at = place.segment_at(after) + 1
    while at < len(starts) and starts[at] <= after + AHEAD_SEC:
        change = _change(schedule, at)
        if change and change.code not in [known.code for known in found]:
            found.append(change)
        at += 1
    return found


def _change(schedule: Schedule, at: int) -> Change | None:
    """Finds the first slot that this change touches, or the slot that it skips."""
    place = zone(schedule.timezone)
    began, jump = place.segments.starts[at], jump_at(place, at)
    if not 0 < abs(jump) <= CORRECTION_SEC or isinstance(schedule.rule, Every):
        return None
    note = _skipped(schedule, at) or _first_note(schedule, began, jump)
    code = "dst_gap" if jump > 0 else "dst_overlap"
    return Change(began, wall(place, began), code, note) if note else None


def _skipped(schedule: Schedule, at: int) -> Note | None:
    if schedule.policy.gap != "skip" or isinstance(schedule.rule, Every):
        return None
    place = zone(schedule.timezone)
    began = place.segments.starts[at]
    if not (schedule.start_at or began) <= began <= (schedule.end_at or began):
        return None
    wall_to = began + place.segments.offsets[at]
    missing = walls_of(schedule.rule).next(wall_to - jump_at(place, at))
    if missing >= wall_to:
        return None
    return Note("dst_gap_skipped", clock_of_wall(missing), "does not exist", "it is skipped")


def _first_note(schedule: Schedule, began: int, jump: int) -> Note | None:
    slot = schedule.next(began - 1 if jump > 0 else began + jump - 1)
    while slot is not None and slot < began + abs(jump):
        if note := note_of(schedule, slot):
            both = jump < 0 and schedule.policy.overlap == "both"
            return replace(note, outcome="fires at both") if both else note
        slot = schedule.next(slot)
    return None


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
