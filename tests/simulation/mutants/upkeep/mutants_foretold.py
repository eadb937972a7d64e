"""Planted faults of what is foretold, and of what rows tell of their times."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from onthedot.api.schedules import times
from onthedot.api.views import merged_fires
from onthedot.dispatch import dispatcher, due_plan
from onthedot.dispatch.due_plan import Firing, Plan
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason
from onthedot.records.tasks.task_cursor import Due
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import unclaimed_slots
from onthedot.schedule.schedule import Schedule
from tests.simulation.mutants.mutant import Mutant, Patch


def closed_too() -> list[Patch]:
    """What comes next is told as if there were no calendars."""

    def to_come(task: Task, after: int, _now: int, _due: Due | None = None) -> Iterator[int]:
        return task.schedule.slots(after)

    return [(times, "to_come", to_come)]


def undelayed() -> list[Patch]:
    """A slot is said to be due at its own time, whatever the jitter."""
    return [(Schedule, "due_at", lambda _, slot: slot)]


def open_too() -> list[Patch]:
    """Of what comes, nothing is said to be closed."""
    return [(merged_fires, "closing", lambda *_: "")]


def ended_when_due() -> list[Patch]:
    """What an edit records is said to have ended when it was due."""
    original = unclaimed_slots._record  # noqa: SLF001  # planted in the flow

    def record(task: Task, slot: int, now: int, calendar: str) -> Run:
        made = original(task, slot, now, calendar)
        end = replace(made.life.its_end, ended_ms=made.life.due_ms - 60_000)
        return replace(made, life=replace(made.life, end=end))

    return [(unclaimed_slots, "_record", record)]


def all_on_time() -> list[Patch]:
    """However late a slot is claimed, it is said to be as any other."""

    def firing(slot: int, due: int, _origin: str) -> Firing:
        return Firing(slot, due, "schedule")

    return [(due_plan, "Firing", firing)]


def open_for_good() -> list[Patch]:
    """What is missed is said to be so for a backlog, though there never was one."""
    original = due_plan.plan

    def plan(due: Due, now: int, **_lost_for: str) -> Plan:
        return original(due, now, lost_for=Reason.CIRCUIT_OPEN)

    return [(dispatcher, "plan", plan)]


_AHEAD = ("foretold",)
FORETOLD = (
    Mutant("foretold though closed", "a calendar closes what comes", closed_too, _AHEAD),
    Mutant("foretold undelayed", "jitter delays what comes", undelayed, _AHEAD),
    Mutant("closed and not said", "what comes says what closes it", open_too, _AHEAD),
    Mutant("late and not said", "a row says that it was late", all_on_time, ("misfires",)),
    Mutant("no backlog", "a backlog has grown for minutes", open_for_good, ("misfires",)),
    Mutant("ended before", "a row says when it ended", ended_when_due, ("closed books",)),
)
