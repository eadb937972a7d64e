"""Planted faults of `max_runs`: what is counted, when, and by whom."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from onthedot.dispatch.due_plan import Plan
from onthedot.dispatch.tick import Claim
from onthedot.records.conditional_writes import Update
from onthedot.records.runs import run_row
from onthedot.records.tasks import task_cursor
from onthedot.registry import edit, edit_writes
from onthedot.registry.edit_writes import Recount, Step
from onthedot.store import table_reads
from tests.simulation.mutants.mutant import Mutant, Patch


def as_planned() -> list[Patch]:
    """What is planned to be recorded counts for nothing, though it may have run."""
    return [(Claim, "counts", property(lambda self: self.fires and not self.counted))]


def at_once() -> list[Patch]:
    """What fires is claimed beside what is recorded before it."""
    original = Plan.within_bound

    def within_bound(self: Plan, left: int) -> Plan:
        alone = Plan(due=self.due, firings=self.firings, following=self.following)
        bounded = original(alone, left)
        last = bounded.firings[-1].slot if bounded.firings else 0
        recorded = [record for record in self.unfired if record.slot < last or not last]
        return Plan(
            due=self.due, firings=bounded.firings, unfired=recorded, following=bounded.following
        )

    return [(Plan, "within_bound", within_bound)]


def unlisted() -> list[Patch]:
    """An edit counts nothing: neither what a dead dispatcher claimed, nor what comes again."""
    return [(edit, "_recount", lambda *_: Recount())]


def twice() -> list[Patch]:
    """What an edit has counted is counted by the cursor as well."""
    return [(Claim, "counts", property(lambda self: self.fires or self.found is not None))]


def kept() -> list[Patch]:
    """What an edit drops stays counted."""
    return [(edit, "_give_back", lambda *_: None)]


def given_early() -> list[Patch]:
    """What an edit is about to drop counts no more, though it may start before it is stamped."""
    original = edit._recount  # noqa: SLF001  # planted in the flow

    def recount(step: Step) -> Recount:
        counted, wanted = original(step), step.wanted
        rows = table_reads.rows(("task_id", wanted.task_id), "scheduled_for", ("0", "~"))
        near = [run for run in map(run_row.readable, rows) if run]
        dropped = sum(bool(edit._why_dropped(run, wanted, counted)) for run in near)  # noqa: SLF001  # planted in the flow
        return Recount(counted.counted - dropped, counted.ahead)

    return [(edit, "_recount", recount)]


def unmarked() -> list[Patch]:
    """What is given back is not marked, so that a later edit may take it up again."""
    return [(edit, "marked", lambda life, *_: life)]


def never_bound() -> list[Patch]:
    """An edit cannot bound a task that had no bound."""

    def remaining(step: Step, counted: Recount) -> int | None:
        return before(step, counted) if step.seen.task.max_runs is not None else None

    before = edit_writes.remaining
    return [(edit_writes, "remaining", remaining)]


def overwritten() -> list[Patch]:
    """A dispatcher counts on from what it read, whatever was given back since."""
    original = task_cursor.advance

    def advance(*given: Any, **named: Any) -> Update:
        write = original(*given, **named)
        clauses = tuple(one for one in write.clauses if one.path != ("runs_left",))
        return replace(write, clauses=clauses)

    return [(task_cursor, "advance", advance)]


BOUNDS = (
    Mutant("as planned", "0072: what ran counts", as_planned, ("bounded",), seed=21),
    Mutant("at once", "0072: counted first, then claimed", at_once, ("bounded",), seed=19),
    Mutant("unlisted", "0072: an edit counts what is claimed", unlisted, ("recounted",)),
    Mutant(
        "counted twice",
        "0072: what was recorded did not run",
        twice,
        ("bounded bare",),
    ),
    Mutant("kept", "0072: what an edit drops is given back", kept, ("unspent",)),
    Mutant(
        "given early",
        "0072: given back behind the stamp",
        given_early,
        ("recounted",),
        seed=67,
    ),
    Mutant("never bound", "an edit bounds a task", never_bound, ("asked bind",)),
    Mutant("overwritten", "what is given back stays", overwritten, ("unsent late",), seed=1000),
    Mutant("unmarked", "0072: marked, then given back", unmarked, ("unspent",), seed=16),
)
