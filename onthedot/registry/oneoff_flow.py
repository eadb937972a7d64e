"""Registers, cancels and moves one-off tasks. A caller's key registers only one."""

from __future__ import annotations

from collections.abc import Sequence
from functools import partial

from onthedot.records.access import audit_trail
from onthedot.records.access.api_key import TABLE
from onthedot.records.access.audit_trail import By
from onthedot.records.access.business_key import BusinessKey
from onthedot.records.conditional_writes import Part
from onthedot.records.problems import Problem
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import lifecycle, oneoff
from onthedot.registry.edit import edit
from onthedot.registry.edit_writes import Signed
from onthedot.registry.schedule_actions import count, create_many, create_with, tell
from onthedot.schedule.expression.errors import BusyError
from onthedot.store import clock, stored_runs, table_reads
from onthedot.store.tasks import read

_TRIES = 3


def create(
    task: Task, by: By, key: BusinessKey | None = None, *, again: bool = False
) -> tuple[Task, bool]:
    """Registers it, unless its key has one. Returns the task, and whether it is new.

    `again`: an earlier try may have registered it and died before it was dispatched.
    """
    done = edit(task.task_id, lifecycle.unchanged) if again else None
    if done is not None:
        return done.task, True
    task = lifecycle.stamped(task, by)
    told = audit_trail.insert(by, "task.created", task.task_id)
    for _ in range(_TRIES):
        parts: list[Part] = [told]
        if key is not None:
            former = table_reads.get(TABLE, key.item_key())
            now = clock.now_ms() // 1000
            if former is not None and former["expires_at"] > now:
                return _same(former, key), False
            parts.append(key.taking(task.task_id, now, former))
        count(by.tenant_id, 1)
        born = create_with(task, parts)
        if born is not None:
            return born, True
        # Another request took the key in between. The key's task is read again.
        count(by.tenant_id, -1)
    raise BusyError(f"the key of {task.task_id} kept changing under {_TRIES} tries")


def _same(former: dict[str, object], key: BusinessKey) -> Task:
    if former["body_hash"] != key.body_hash:
        message = f"The idempotency_key '{key.key[:64]}' was used with another body."
        raise Problem("idempotency_key_reused", message)
    known = read(str(former["task_id"]))
    if known is None:
        raise Problem("not_found", "The task of this idempotency_key is gone.")
    # The request that made it may have died before it was dispatched.
    done = edit(known.task.task_id, lifecycle.unchanged, known=known)
    return done.task if done else known.task


def create_all(wanted: Sequence[Task], by: By) -> list[Task]:
    """Registers many at once: one count and one line on the trail, but a write for each."""
    if not wanted:
        return []
    count(by.tenant_id, len(wanted))
    tell(by, "tasks.created", f"{len(wanted)} tasks from {wanted[0].task_id}")
    return create_many([lifecycle.stamped(task, by) for task in wanted])


def cancel(task_id: str, by: By) -> Task | None:
    """Cancels it before it starts. A second call finishes what the first one began."""
    done = edit(task_id, _cancelled, Signed(by, "task.cancelled"))
    if done is None:
        return None
    # Of several calls only the one whose write ends it gives its place back.
    if done.before.status != "cancelled":
        count(by.tenant_id, -1)
    return done.task


def _cancelled(task: Task, _now: int) -> Task:
    if task.status != "cancelled":
        refuse_started(row(task))
    return lifecycle.cancelled(task)


def reschedule(task_id: str, moved: Task, by: By) -> Task | None:
    """Gives it the time of another definition. What waits for the former time is superseded."""
    done = edit(task_id, partial(_moved, elsewhere=moved), Signed(by, "task.rescheduled"))
    return done.task if done else None


def _moved(task: Task, _now: int, *, elsewhere: Task) -> Task:
    moved = lifecycle.moved(task, elsewhere)
    if moved != task:
        # Else an earlier try of the same request has moved it, and its run may have started.
        refuse_started(row(task))
    return moved


def row(task: Task) -> Run | None:
    """Reads its run, if there is one."""
    return stored_runs.readable(oneoff.row_key(task))


def refuse_started(run: Run | None) -> None:
    """Refuses if the run has begun: then it cannot be taken back."""
    if run is not None and run.final:
        message = f"Its run is {run.life.status}: the task can no longer change."
        raise Problem("already_finished", message)
    if run is not None and run.life.attempt:
        message = f"Its run has started: cancel {run.run_id} instead."
        raise Problem("already_started", message)
