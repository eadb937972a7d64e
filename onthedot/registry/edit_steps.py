"""An edit of a task as steps: what each writes, and what is to be done once it is written."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from onthedot.records.access import audit_trail
from onthedot.records.access.audit_trail import By
from onthedot.records.conditional_writes import Part
from onthedot.records.tasks import kept_versions, name_lock, pause_ends, payloads
from onthedot.records.tasks.task_items import Known, first_due, revision
from onthedot.records.tasks.task_spec import ENDED, Task
from onthedot.registry import lifecycle
from onthedot.registry.definition import fields_of


@dataclass(frozen=True, slots=True)
class Signed:
    """Who asks for an edit, and what the audit trail calls it."""

    by: By
    what: str


@dataclass(frozen=True, slots=True)
class Recount:
    """How many runs the edit counts, and the keys of those that a cursor may yet come upon."""

    counted: int = 0
    ahead: tuple[str, ...] = ()
    # The keys of all that was claimed by then.
    claimed: frozenset[str] = frozenset()


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """One write of an edit: the task as it was read, and as it is to be."""

    seen: Known
    wanted: Task
    # What was due by then belongs to the task as it was.
    at: int
    signed: Signed | None = None
    # An earlier try has written it, and may have died before it was made to govern.
    written: bool = False
    # The system writes it first, whatever was asked for: the task's pause is over.
    by_itself: bool = False

    @property
    def moves(self) -> bool:
        """Tell whether the cursor goes elsewhere."""
        before, after = self.seen.task, self.wanted
        return (before.schedule_version, before.status) != (after.schedule_version, after.status)

    @property
    def next_due(self) -> int | None:
        """Tell where the write leaves the cursor: where it was, unless it is moved."""
        if self.wanted.status != "active":
            return None
        if self.moves:
            return first_due(self.wanted)
        return self.seen.due.next_run_at if self.seen.indexed else None

    @property
    def sent_from(self) -> int | None:
        """Tell from which due time on claimed runs are to be sent: nobody else may know of them."""
        if self.written or _crowd(self.seen.task) != _crowd(self.wanted):
            return 0
        return self.seen.due.next_run_at if self.moves else None


def end_of_pause(seen: Known, now: int) -> Step | None:
    """Write down that a pause is over, as of its end; None: it is not, or there is none."""
    at = pause_ends.over(seen.task, now)
    if at is None:
        return None
    wanted = _next_version(seen, lifecycle.resumed_by_itself(seen.task, at))
    return Step(seen=seen, wanted=wanted, at=wanted.effective_from, by_itself=True)


def asked_for(seen: Known, wanted: Task, now: int, signed: Signed | None) -> Step | None:
    """Write what was asked for; None: the task has ended, and nothing revives it."""
    if _unstamped(wanted) == _unstamped(seen.task):
        return Step(seen=seen, wanted=seen.task, at=now, written=True)
    if seen.task.status in ENDED:
        return None
    wanted = _next_version(seen, _reopened(seen, wanted, now))
    return Step(seen=seen, wanted=wanted, at=now, signed=signed)


def foreseen(seen: Known, wanted: Task, now: int) -> Known:
    """Tell what an edit would leave; runs that it would drop are not looked for."""
    step = Step(seen=seen, wanted=_reopened(seen, wanted, now), at=now)
    due = replace(seen.due, runs_left=remaining(step, Recount()))
    if step.moves:
        due = replace(due, next_run_at=first_due(step.wanted) or due.next_run_at)
    return replace(seen, task=step.wanted, due=due)


def remaining(step: Step, counted: Recount) -> int | None:
    """How many runs an edit leaves to a bounded task; below zero, where it has had more already."""
    if step.wanted.max_runs is None:
        return None
    most, seen = step.seen.task.max_runs, step.seen.due.runs_left
    if most is None or seen is None:
        return step.wanted.max_runs
    return step.wanted.max_runs - (most - seen + counted.counted)


def beside(step: Step) -> list[Part]:
    """Give what is written together with the task: its name, its former schedule, the trail."""
    before, after, signed = step.seen.task, step.wanted, step.signed
    parts: list[Part] = []
    if after.status == "deleted":
        parts.append(name_lock.freeing(before))
    elif after.name != before.name:
        parts += [name_lock.freeing(before), name_lock.taking(after)]
    if after.schedule_version != before.schedule_version and not _runs_once(after):
        key_id = signed.by.key_id if signed else pause_ends.SYSTEM
        parts.append(revision(before, until=after.effective_from, by=key_id))
    if kept_versions.differ(before, after):
        # What it does not know, it has at hand.
        said = step.seen.payload or payloads.written(before.payload)
        parts.append(kept_versions.insert(before, payload=said, until=step.at))
    if pause_ends.end_of(after) != pause_ends.end_of(before):
        parts += pause_ends.to_end(after)
    if signed:
        old, new = _told_of(before), _told_of(after)
        parts.append(
            audit_trail.insert(signed.by, signed.what, after.task_id, before=old, after=new)
        )
    return parts


def _next_version(seen: Known, wanted: Task) -> Task:
    """Every write of a task is a version of its own: a plan by another one is refused."""
    return replace(wanted, version=seen.task.version + 1)


def _reopened(seen: Known, wanted: Task, now: int) -> Task:
    """One that had fired all it could and is given more goes on from now."""
    left = remaining(Step(seen=seen, wanted=wanted, at=now), Recount())
    return lifecycle.reopened(seen.task, wanted, left, now, indexed=seen.indexed)


def _unstamped(task: Task) -> Task:
    """Leave out what follows from when an edit is carried out: two tries differ in it."""
    return replace(task, effective_from=0, paused_at=0, schedule_version=0)


def _crowd(task: Task) -> tuple[object, ...]:
    return task.overlap, task.max_concurrent, task.queue_max


def _told_of(task: Task) -> dict[str, Any]:
    if _runs_once(task):
        return {"run_at": task.shown["start_at"]}
    return fields_of(task) | {"paused": task.shown.get("paused")}


def _runs_once(task: Task) -> bool:
    return task.task_id.startswith("tsk_")
