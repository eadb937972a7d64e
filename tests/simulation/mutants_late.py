"""Planted faults of what is done again, waits, or is looked at later."""

from __future__ import annotations

from collections.abc import Sequence

from onthedot.core import exhausted
from onthedot.core.writes import Insert, Update
from onthedot.flows import calendars, catchup, edit
from tests.simulation.mutant import Mutant, Patch


def not_gone_on() -> list[Patch]:
    """What an earlier try of a resume has claimed, and not sent, is left to the audit."""
    return [(catchup, "_go_on", lambda _run: None), (edit, "_send", lambda *_: None)]


def listed_long_ago() -> list[Patch]:
    """What is to be noted looks as if nobody had come back to it."""
    original = exhausted.lines

    def lines(cursors: Sequence[Update], now: int) -> list[Insert]:
        return original(cursors, now - 86_400)

    return [(exhausted, "lines", lines)]


def passes_skipped() -> list[Patch]:
    """Who has all tasks follow a calendar waits for a pass that is over."""
    return [(calendars, "PASSES", 0)]


LATE = (
    Mutant("not gone on", "a resume sends what it catches up on", not_gone_on, ("asked on",)),
    Mutant("never recomputed", "a recompute ends", passes_skipped, ("many named",)),
    Mutant("listed long ago", "a new line is not doubtful", listed_long_ago, ("noted between",)),
)
