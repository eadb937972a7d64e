"""Planted faults of what is foretold, and of what rows tell of their times."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from onthedot.api import schedule_times
from onthedot.core import plan as plans
from onthedot.core import upcoming
from onthedot.core.due import Due
from onthedot.core.planned import Firing, Plan
from onthedot.core.run import Run
from onthedot.core.schedule import Schedule
from onthedot.core.task import Task
from onthedot.flows import books, dispatch
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


def all_on_time() -> list[Patch]:
    """However late a slot is claimed, it is said to be as any other."""

    def firing(slot: int, due: int, _origin: str) -> Firing:
        return Firing(slot, due, "schedule")

    return [(plans, "Firing", firing)]


def open_for_good() -> list[Patch]:
    """What is missed is said to be so for a backlog, though there never was one."""
    original = plans.plan

    def plan(due: Due, now: int, **_lost_for: str) -> Plan:
        return original(due, now, lost_for="circuit_open")

    return [(dispatch, "plan", plan)]


_AHEAD = ("foretold",)
FORETOLD = (
    Mutant("foretold though closed", "a calendar closes what comes", closed_too, _AHEAD),
    Mutant("foretold undelayed", "jitter delays what comes", undelayed, _AHEAD),
    Mutant("closed and not said", "what comes says what closes it", open_too, _AHEAD),
    Mutant("late and not said", "a row says that it was late", all_on_time, ("misfires",)),
    Mutant("no backlog", "a backlog has grown for minutes", open_for_good, ("misfires",)),
    Mutant("ended before", "a row says when it ended", ended_when_due, ("closed books",)),
)
