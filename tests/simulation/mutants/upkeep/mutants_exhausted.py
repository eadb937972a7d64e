"""Planted faults of noting what fires no more."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from onthedot.dispatch import plan_effects
from onthedot.records.conditional_writes import Outcome, Update
from onthedot.records.tasks import exhausted_schedules
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import edit_writes, lifecycle
from onthedot.store import conditional_writer
from onthedot.upkeep import completed_schedules
from tests.simulation.mutants.mutant import Mutant, Patch


def though_open() -> list[Patch]:
    """Nobody asks whether a run is open."""
    return [(completed_schedules, "_any_open", lambda _task: False)]


def for_ever() -> list[Patch]:
    """No edit makes it active again."""

    def reopened(before: Task, wanted: Task, left: int | None, now: int, *, indexed: bool) -> Task:
        more = not indexed and left != 0 and wanted.max_runs != before.max_runs
        return lifecycle.restarted(wanted, now) if more else wanted

    return [(lifecycle, "reopened", reopened)]


def unheld() -> list[Patch]:
    """The note goes by the spec alone, and misses a place that was given back to the cursor."""
    original = exhausted_schedules.note
    return [(exhausted_schedules, "note", lambda task, due: original(task, due)[:1])]


def unrevived() -> list[Patch]:
    """A place is given back to the cursor alone, though the spec says that nothing fires."""
    original = conditional_writer.write_together

    def write_together(parts: Any) -> Outcome:
        gives_back = len(parts) == 2 and dict(parts[1].sets) == {"status": "active"}
        return original(parts[:1] if gives_back else parts)

    return [(conditional_writer, "write_together", write_together)]


def unseen() -> list[Patch]:
    """An edit goes by the version alone, and misses the note."""
    original = edit_writes.writes

    def writes(*given: Any, **more: Any) -> list[Any]:
        parts: list[Any] = list(original(*given, **more))
        clauses = tuple(one for one in parts[0].clauses if one.path != ("status",))
        return [replace(parts[0], clauses=clauses), *parts[1:]]

    return [(edit_writes, "writes", writes)]


def listed_late() -> list[Patch]:
    """The cursor leaves the index first, and is listed afterwards."""
    original = conditional_writer.write_many
    late = plan_effects.list_the_exhausted

    def write_many(writes: Any, **given: Any) -> list[Outcome]:
        outcomes = original(writes, **given)
        late([one for one in writes if isinstance(one, Update) and one.table == "tasks"])
        return outcomes

    return [
        (plan_effects, "list_the_exhausted", lambda _moves, _over=None: []),
        (conditional_writer, "write_many", write_many),
    ]


def overspent_forgotten() -> list[Patch]:
    """A bound that is lowered below what it has had forgets by how much."""
    original = edit_writes.remaining

    def remaining(*given: Any) -> int | None:
        left = original(*given)
        return None if left is None else max(0, left)

    return [(edit_writes, "remaining", remaining)]


def impatient() -> list[Patch]:
    """A line is dropped as soon as its cursor is found in the index."""
    return [(exhausted_schedules, "doubtful", lambda *_: True)]


EXHAUSTED = (
    Mutant(
        "line dropped at once",
        "0100: a line waits for the cursor that it announces",
        impatient,
        ("listed ahead",),
    ),
    Mutant(
        "overspent forgotten",
        "0072: a lowered bound knows what it has had",
        overspent_forgotten,
        ("ending",),
        seed=30,
    ),
    Mutant(
        "noted though open",
        "0100: noted once no run is open",
        though_open,
        ("ending",),
    ),
    Mutant(
        "completed for ever",
        "0100: an edit that gives it more makes it active",
        for_ever,
        ("ending",),
    ),
    Mutant(
        "exhausted unlisted",
        "0100: listed, then out of the index",
        listed_late,
        ("ending",),
        seed=107,
    ),
    Mutant(
        "note unheld",
        "0100: a place given back voids the note",
        unheld,
        ("noted late",),
    ),
    Mutant(
        "unrevived",
        "0100: a place given back makes it active again",
        unrevived,
        ("given back",),
    ),
    Mutant(
        "note unseen",
        "0100: an edit goes by the status that it saw",
        unseen,
        ("unseen",),
    ),
)
