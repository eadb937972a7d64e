"""Describes an edit of a task as steps: what each one writes, and what to do afterwards."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from onthedot.records.access import audit_trail
from onthedot.records.access.audit_trail import By
from onthedot.records.conditional_writes import Part
from onthedot.records.tasks import kept_versions, pause_ends, payloads, task_items
from onthedot.records.tasks.task_items import Known, first_due, revision
from onthedot.records.tasks.task_spec import ENDED, Task
from onthedot.registry import lifecycle
from onthedot.registry.definition import fields_of


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


def end_of_pause(seen: Known, now: int) -> Step | None:
    """Ends a pause that is over, as of its end. None: it is not over, or there is none."""
    at = pause_ends.over(seen.task, now) if seen.task.status == "paused" else None
    if at is None:
        return None
    wanted = _next_version(seen, lifecycle.resumed_by_itself(seen.task, at))
    return Step(seen=seen, wanted=wanted, at=wanted.effective_from, by_itself=True)


def asked_for(seen: Known, wanted: Task, now: int, signed: Signed | None) -> Step | None:
    """Makes the step that was asked for. None: the task has ended, and nothing revives it."""
    if _unstamped(wanted) == _unstamped(seen.task):
        return Step(seen=seen, wanted=seen.task, at=now, written=True)
    if seen.task.status in ENDED:
        return None
    wanted = _next_version(seen, _reopened(seen, wanted, now))
    return Step(seen=seen, wanted=wanted, at=now, signed=signed)


def foreseen(seen: Known, wanted: Task, now: int) -> Known:
    """Returns what an edit would leave. It does not look for runs that the edit would drop."""
    step = Step(seen=seen, wanted=_reopened(seen, wanted, now), at=now)
    due = replace(seen.due, runs_left=remaining(step, Recount()))
    if step.moves:
        due = replace(due, next_run_at=first_due(step.wanted) or due.next_run_at)
    return replace(seen, task=step.wanted, due=due)


def remaining(step: Step, counted: Recount) -> int | None:
    """Returns how many runs an edit leaves to a bounded task. Below zero, it has had too many."""
    if step.wanted.max_runs is None:
        return None
    most, seen = step.seen.task.max_runs, step.seen.due.runs_left
    if most is None or seen is None:
        return step.wanted.max_runs
    return step.wanted.max_runs - (most - seen + counted.counted)


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


def _next_version(seen: Known, wanted: Task) -> Task:
    """Raises the version: every write of a task has its own, and plans by another are refused."""
    return replace(wanted, version=seen.task.version + 1)


def _reopened(seen: Known, wanted: Task, now: int) -> Task:
    """Reopens a task that had fired all its runs, if it gets more. It goes on from now."""
    left = remaining(Step(seen=seen, wanted=wanted, at=now), Recount())
    return lifecycle.reopened(seen.task, wanted, left, now, indexed=seen.indexed)


def _unstamped(task: Task) -> Task:
    """Removes what depends on the time of an edit: two tries differ in it."""
    return replace(task, effective_from=0, paused_at=0, schedule_version=0)


def _crowd(task: Task) -> tuple[object, ...]:
    return task.overlap, task.max_concurrent, task.queue_max


def _told_of(task: Task) -> dict[str, Any]:
    if _runs_once(task):
        return {"run_at": task.shown["start_at"]}
    return fields_of(task) | {"paused": task.shown.get("paused")}


def _runs_once(task: Task) -> bool:
    return task.task_id.startswith("tsk_")
