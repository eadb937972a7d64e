"""Describes one write of an edit, as values: the task before and after, and every item of it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from onthedot.records.access import audit_trail
from onthedot.records.access.audit_trail import By
from onthedot.records.conditional_writes import Clause, Part, Update, Write
from onthedot.records.keys import CURSOR, SPEC
from onthedot.records.tasks import (
    exhausted_schedules,
    kept_versions,
    pause_ends,
    payloads,
    task_cursor,
    task_items,
    task_spec,
)
from onthedot.records.tasks.task_items import Known, cursor, first_due, revision
from onthedot.records.tasks.task_spec import Task
from onthedot.registry.definition import fields_of

# What dispatch needs for planning besides the schedule.
_PLANNED_WITH = ("misfire", "grace_sec", "queue", "pack_max")


@dataclass(frozen=True, slots=True)
class Signed:
    """Who asks for an edit, and its name on the audit trail."""

    by: By
    what: str


@dataclass(frozen=True, slots=True)
class Recount:
    """How many runs the edit counts, and the keys of those that the cursor may still reach."""

    counted: int = 0
    ahead: tuple[str, ...] = ()
    # The keys of all slots that were claimed by then.
    claimed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One write of an edit: the task as it was read, and as it will be."""

    seen: Known
    wanted: Task
    # Slots due by then belong to the former task.
    at: int
    signed: Signed | None = None
    # An earlier try has written it, and may have died before the rest.
    written: bool = False
    # The system writes it first, whatever the user asked for: the task's pause is over.
    by_itself: bool = False

    @property
    def moves(self) -> bool:
        """Tells whether the cursor moves."""
        before, after = self.seen.task, self.wanted
        return (before.schedule_version, before.status) != (after.schedule_version, after.status)

    @property
    def next_due(self) -> int | None:
        """Returns where the cursor stands after the write."""
        if self.wanted.status != "active":
            return None
        if self.moves:
            return first_due(self.wanted)
        return self.seen.due.next_run_at if self.seen.indexed else None

    @property
    def sent_from(self) -> int | None:
        """Returns the due time from which claimed runs are sent. Others may not know them."""
        if self.written or _crowd(self.seen.task) != _crowd(self.wanted):
            return 0
        return self.seen.due.next_run_at if self.moves else None


def remaining(step: Step, counted: Recount) -> int | None:
    """Returns how many runs an edit leaves to a bounded task. Below zero, it has had too many."""
    if step.wanted.max_runs is None:
        return None
    most, seen = step.seen.task.max_runs, step.seen.due.runs_left
    if most is None or seen is None:
        return step.wanted.max_runs
    return step.wanted.max_runs - (most - seen + counted.counted)


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


def beside(step: Step) -> list[Part]:
    """Returns what is written with the task: its name, its former schedule, the trail."""
    before, after, signed = step.seen.task, step.wanted, step.signed
    parts: list[Part] = []
    if after.status == "deleted":
        parts.append(task_items.freeing(before))
    elif after.name != before.name:
        parts += [task_items.freeing(before), task_items.taking(after)]
    if after.schedule_version != before.schedule_version and not _runs_once(after):
        key_id = signed.by.key_id if signed else pause_ends.SYSTEM
        parts.append(revision(before, until=after.effective_from, by=key_id))
    if kept_versions.differ(before, after):
        # If the item does not have the payload, the task in memory does.
        said = step.seen.payload or payloads.written(before.payload)
        parts.append(kept_versions.insert(before, payload=said, until=step.at))
    paused = "paused" in (before.status, after.status)
    if paused and pause_ends.end_of(after) != pause_ends.end_of(before):
        parts += pause_ends.to_end(after)
    if signed:
        old, new = _told_of(before), _told_of(after)
        parts.append(
            audit_trail.insert(signed.by, signed.what, after.task_id, before=old, after=new)
        )
    return parts


def _crowd(task: Task) -> tuple[object, ...]:
    return task.overlap, task.max_concurrent, task.queue_max


def _told_of(task: Task) -> dict[str, Any]:
    if _runs_once(task):
        return {"run_at": task.shown["start_at"]}
    return fields_of(task) | {"paused": task.shown.get("paused")}


def _runs_once(task: Task) -> bool:
    return task.task_id.startswith("tsk_")
