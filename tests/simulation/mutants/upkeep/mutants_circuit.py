"""Planted faults of the backlog's circuit."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from onthedot.dispatch import dispatcher, due_tasks
from onthedot.dispatch.due_plan import plan
from onthedot.dispatch.due_tasks import Backlog
from tests.simulation.mutants.mutant import Mutant, Patch

_CIRCUIT = ("circuit", "circuit slowly")


def never() -> list[Patch]:
    """It never opens."""
    original = Backlog.after_tick

    def after_tick(before: Backlog, **figures: Any) -> Backlog:
        return replace(original(before, **figures), open=False)

    return [(Backlog, "after_tick", after_tick)]


def for_good() -> list[Patch]:
    """Once open it never closes."""
    original = Backlog.after_tick

    def after_tick(before: Backlog, **figures: Any) -> Backlog:
        after = original(before, **figures)
        return replace(after, open=before.open or after.open)

    return [(Backlog, "after_tick", after_tick)]


def at_once() -> list[Patch]:
    """It opens where the backlog grew two ticks running."""
    return [(due_tasks, "_TREND", 2)]


def in_full() -> list[Patch]:
    """A tick takes on as much as ever while it is open."""
    return [(Backlog, "budget", property(lambda _: due_tasks.BUDGET_MIN))]


def as_ever() -> list[Patch]:
    """What is lost while it is open is said to have been found too late."""
    return [(dispatcher, "plan", lambda due, now, **_: plan(due, now))]


CIRCUITS = (
    Mutant("no circuit", "R11: a growing backlog opens the circuit", never, _CIRCUIT),
    Mutant("open for good", "R11: a shrinking backlog closes it", for_good, _CIRCUIT),
    Mutant("open at once", "R11: it opens after five ticks", at_once, _CIRCUIT),
    Mutant("open in full", "R11: catching up is cut to a tenth", in_full, _CIRCUIT),
    Mutant("lost as ever", "what is lost while it is open says so", as_ever, _CIRCUIT),
)
