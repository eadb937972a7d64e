"""Writes an edit's step: both items of the task, each only if it is as it was read."""

from __future__ import annotations

from typing import Any

from onthedot.records.conditional_writes import Clause, Update, Write
from onthedot.records.keys import CURSOR, SPEC
from onthedot.records.tasks import exhausted_schedules, task_cursor, task_spec
from onthedot.records.tasks.task_items import cursor, first_due
from onthedot.registry.edit_steps import Recount, Step, remaining

# What dispatch needs for planning besides the schedule.
_PLANNED_WITH = ("misfire", "grace_sec", "queue", "pack_max")


def writes(step: Step, counted: Recount, *, payload: str | None, now: int) -> list[Write]:
    """Writes both items. If only the payload changes, in its stored form, the cursor stays.

    A schedule without a slot left is listed, so that the audit marks it as completed.
    """
    spec = _spec(step, payload)
    part = _cursor(step, counted)
    if part is None:
        return [spec]
    wanted = step.wanted
    ends = wanted.status == "active" and task_cursor.leaves(part)
    return [
        spec,
        part,
        *([exhausted_schedules.line(wanted.task_id, wanted.version, now)] if ends else []),
    ]


def _spec(step: Step, payload: str | None) -> Update:
    before = step.seen.task
    written, changed = before.item(), step.wanted.item()
    said = {name: value for name, value in changed.items() if written.get(name) != value}
    said |= {} if payload is None else {"payload": payload}
    return Update(
        task_spec.TABLE,
        (("task_id", before.task_id), ("part", SPEC)),
        tuple(said.items()),
        # The audit completes a task, and dispatch sets one aside, without a new version.
        (Clause.equal("version", before.version), Clause.equal("status", before.status)),
        removes=tuple(name for name in written if name not in changed),
    )


def _cursor(step: Step, counted: Recount) -> Update | None:
    before, wanted = step.seen.task, step.wanted
    clauses: tuple[Clause, ...] = (Clause.equal("version", step.seen.due.version),)
    following = first_due(wanted) if wanted.status == "active" else None
    item = cursor(wanted, following)
    left = item.pop("runs_left", None)
    if step.moves:
        sets = {name: value for name, value in item.items() if name not in ("task_id", "part")}
        if following is None:
            sets.pop("next_run_at")
    else:
        old = cursor(before, None)
        sets = {name: item[name] for name in _PLANNED_WITH if item[name] != old[name]}
    removes: tuple[str, ...] = ()
    if step.seen.due.ahead != counted.ahead and step.moves:
        sets |= {"ahead": counted.ahead} if counted.ahead else {}
        removes += () if counted.ahead else ("ahead",)
    if wanted.max_runs != before.max_runs or step.moves:
        removes += () if left is not None else ("runs_left",)
        clauses += _runs_left(step, sets, counted)
    if not sets and not removes:
        return None
    spent = sets.get("runs_left", 1) <= 0
    if spent:
        item.pop("due_shard", None)
        sets.pop("due_shard", None)
    if (spent or step.moves) and "due_shard" not in item:
        removes += ("due_shard",)
    # Every write of the cursor raises its version, so older plans are void.
    sets |= {"version": wanted.version}
    key = (("task_id", before.task_id), ("part", CURSOR))
    return Update(task_spec.TABLE, key, tuple(sets.items()), clauses, removes)


def _runs_left(step: Step, sets: dict[str, Any], counted: Recount) -> tuple[Clause, ...]:
    """Counts what was claimed, as it was seen, and what this edit counts, against the bound.

    A value below zero means that more were used than are allowed. A later, higher bound needs it.
    """
    left = remaining(step, counted)
    if left is not None:
        sets["runs_left"] = left
    seen = step.seen.due.runs_left
    return () if seen is None else (Clause.equal("runs_left", seen),)
