"""Planted faults of what is foretold, and of the times that rows tell."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from onthedot.api import schedule_times
from onthedot.core import upcoming
from onthedot.core.due import Due
from onthedot.core.run import Run
from onthedot.core.schedule import Schedule
from onthedot.core.task import Task
from onthedot.flows import books
from tests.simulation.mutant import Mutant, Patch


def closed_too() -> list[Patch]:
    """What comes next is told as if there were no calendars."""

    def to_come(task: Task, after: int, _now: int, _due: Due | None = None) -> Iterator[int]:
        return task.schedule.slots(after)

    return [(schedule_times, "to_come", to_come)]


def undelayed() -> list[Patch]:
    """A slot is said to be due at its own time, whatever the jitter."""
    return [(Schedule, "due_at", lambda _, slot: slot)]


def open_too() -> list[Patch]:
    """Of what comes, nothing is said to be closed."""
    return [(upcoming, "closing", lambda *_: "")]


def ended_when_due() -> list[Patch]:
    """What an edit records is said to have ended when it was due."""
    original = books._record  # noqa: SLF001  # planted in the flow

    def record(task: Task, slot: int, now: int, calendar: str) -> Run:
        made = original(task, slot, now, calendar)
        return replace(made, life=replace(made.life, ended_ms=made.life.due_ms - 60_000))

    return [(books, "_record", record)]


_AHEAD = ("foretold",)
FORETOLD = (
    Mutant("foretold though closed", "a calendar closes what comes", closed_too, _AHEAD),
    Mutant("foretold undelayed", "jitter delays what comes", undelayed, _AHEAD),
    Mutant("closed and not said", "what comes says what closes it", open_too, _AHEAD),
    Mutant("ended before", "a row says when it ended", ended_when_due, ("closed books",)),
)
