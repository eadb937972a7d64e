"""Explains a slot that a clock change moved, repeated, or follows."""

from __future__ import annotations

from dataclasses import dataclass

from onthedot.schedule.dst_stretches import CORRECTION_SEC
from onthedot.schedule.expression.cron import Every
from onthedot.schedule.schedule import Schedule
from onthedot.schedule.time.almanac import DAY_SEC
from onthedot.schedule.time.instants import clock_of_wall
from onthedot.schedule.time.zones import Zone, zone
from onthedot.schedule.walls import walls_of


@dataclass(frozen=True, slots=True)
class Note:
    """A code for programs. For people: what happens to which time of day, and what follows."""

    code: str
    shown: str
    problem: str
    outcome: str

    @property
    def sentence(self) -> str:
        """Writes the note as a sentence about the slot's own day."""
        return f"{self.shown} {self.problem} on this day; {self.outcome}."


def note_of(schedule: Schedule, slot: int) -> Note | None:
    """Explains the slot, or returns None if no clock change affects it."""
    if isinstance(schedule.rule, Every):
        return None
    place = zone(schedule.timezone)
    at = place.segment_at(slot)
    starts = place.segments.starts
    jump = jump_at(place, at)
    since = slot - starts[at]
    if abs(jump) > CORRECTION_SEC:
        return _corrected(schedule, slot, starts[at], jump)
    if jump > 0 and since < jump:
        return _after_gap(schedule, slot, place, at)
    if 0 < since + 1 <= -jump:
        return _repeated(schedule, slot, place, first=False)
    following = jump_at(place, at + 1)
    if -CORRECTION_SEC <= following < 0 and starts[at + 1] - slot <= -following:
        return _repeated(schedule, slot, place, first=True)
    return None


def jump_at(place: Zone, at: int) -> int:
    """Returns how far the clock jumps where the segment begins."""
    offsets = place.segments.offsets
    return offsets[at] - offsets[at - 1] if 0 < at < len(offsets) else 0


def _after_gap(schedule: Schedule, slot: int, place: Zone, at: int) -> Note | None:
    if schedule.policy.elapsed or schedule.policy.gap == "skip" or isinstance(schedule.rule, Every):
        return None
    offset, jump = place.segments.offsets[at], jump_at(place, at)
    began = place.segments.starts[at]
    walls = walls_of(schedule.rule)
    if schedule.policy.gap == "shift":
        missing, code = slot + offset - jump, "dst_gap_shifted"
        if walls.next(missing) != missing:
            return None
    else:
        missing, code = walls.next(began + offset - jump), "dst_gap_moved"
        if slot != began or missing >= began + offset:
            return None
    outcome = f"fires at {clock_of_wall(slot + offset)} {place.abbreviation_at(slot)}"
    return Note(code, clock_of_wall(missing), "does not exist", outcome)


def _repeated(schedule: Schedule, slot: int, place: Zone, *, first: bool) -> Note:
    shown = clock_of_wall(slot + place.offset_at(slot))
    once = not schedule.policy.elapsed and schedule.policy.overlap != "both"
    which = "first" if first else "second"
    code = "dst_overlap_" + ("last" if once and not first else which)
    verb = "fires at" if once else "this is"
    return Note(code, shown, "comes twice", f"{verb} the {which}, {place.abbreviation_at(slot)}")


def _corrected(schedule: Schedule, slot: int, began: int, jump: int) -> Note | None:
    previous = schedule.prev(slot)
    if slot - began >= DAY_SEC or (previous is not None and previous >= began):
        return None
    way = "forward" if jump > 0 else "back"
    problem = f"was set {way} by {abs(jump) / 3600:g} h"
    return Note("clock_corrected", "The clock", problem, "a correction: nothing is caught up")
