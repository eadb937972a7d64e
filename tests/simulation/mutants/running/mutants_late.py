"""Planted faults of what is done again, waits, or is looked at later."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from onthedot.launch import catchup_flow
from onthedot.records.conditional_writes import Insert, Update
from onthedot.records.tasks import exhausted_schedules
from onthedot.registry import calendar_edits, edit
from onthedot.schedule.slots import CronSlots
from onthedot.upkeep.events import destinations, notifications
from tests.simulation.mutants.mutant import Mutant, Patch


def not_gone_on() -> list[Patch]:
    """What an earlier try of a resume has claimed, and not sent, is left to the audit."""
    return [(catchup_flow, "_go_on", lambda _run: None), (edit, "_send", lambda *_: None)]


def listed_long_ago() -> list[Patch]:
    """What is to be noted looks as if nobody had come back to it."""
    original = exhausted_schedules.lines

    def lines(cursors: Sequence[Update], now: int) -> list[Insert]:
        return original(cursors, now - 86_400)

    return [(exhausted_schedules, "lines", lines)]


def passes_skipped() -> list[Patch]:
    """The recompute of a changed calendar waits for a pass that never comes."""
    return [(calendar_edits, "PASSES", 0)]


def asked_again() -> list[Patch]:
    """A bus that is busy is asked for each batch."""
    original = notifications._by_batch  # noqa: SLF001  # planted there

    def by_batch(arn: str, some: Sequence[Any], until: float) -> Iterator[Any]:
        for first in range(0, len(some), destinations.BATCH):
            yield from original(arn, some[first : first + destinations.BATCH], until)

    return [(notifications, "_by_batch", by_batch)]


def no_seams() -> list[Patch]:
    """What is missing or twice on a night of a change is as on any other."""

    def first_in(slots: CronSlots, place: int, instant: int) -> int:
        offset = slots._offsets[place]  # noqa: SLF001  # planted there
        return slots._walls.next(instant + offset) - offset  # noqa: SLF001

    return [(CronSlots, "_first_in", first_in)]


LATE = (
    Mutant("no seams", "previews know the nights of a change", no_seams, ("asked autumn",), 16),
    Mutant("asked again", "who is busy is left alone", asked_again, ("told refused much",)),
    Mutant("not gone on", "a resume sends what it catches up on", not_gone_on, ("asked on",)),
    Mutant("never recomputed", "a recompute ends", passes_skipped, ("many named",)),
    Mutant("listed long ago", "a new line is not doubtful", listed_long_ago, ("noted between",)),
)
