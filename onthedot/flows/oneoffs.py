"""One-off tasks: registered once for a key of the caller's, cancelled, moved to another time."""

from __future__ import annotations

from collections.abc import Sequence

from onthedot.adapters import clock, tables
from onthedot.core import lifecycle, oneoff, trail
from onthedot.core import run as runs
from onthedot.core.access import TABLE
from onthedot.core.business_key import BusinessKey
from onthedot.core.errors import BusyError
from onthedot.core.problems import Problem
from onthedot.core.run import Run
from onthedot.core.task import Task
from onthedot.core.trail import By
from onthedot.core.writes import Part
from onthedot.flows.change import change
from onthedot.flows.define import count, tell
from onthedot.flows.known import read
from onthedot.flows.register import create_many, create_with

_TRIES = 3


def create(task: Task, by: By, key: BusinessKey | None = None) -> tuple[Task, bool]:
    """Register it, unless its key has one already; give the task, and whether it is new."""
    task = lifecycle.stamped(task, by)
    told = trail.insert(by, "task.created", task.task_id)
    for _ in range(_TRIES):
        parts: list[Part] = [told]
        if key is not None:
            former = tables.get(TABLE, key.item_key())
            now = clock.now_ms() // 1000
            if former is not None and former["expires_at"] > now:
                return _same(former, key), False
            parts.append(key.taking(task.task_id, now, former))
        count(by.tenant_id, 1)
        born = create_with(task, parts)
        if born is not None:
            return born, True
        # Another request took the key in between; whose task it is, is read again.
        count(by.tenant_id, -1)
    raise BusyError(f"the key of {task.task_id} kept changing under {_TRIES} tries")


def _same(former: dict[str, object], key: BusinessKey) -> Task:
    if former["body_hash"] != key.body_hash:
        message = f"The idempotency_key '{key.key[:64]}' made a task with another body."
        raise Problem("idempotency_key_reused", message)
    known = read(str(former["task_id"]))
    if known is None:
        raise Problem("not_found", "The task of this idempotency_key is gone.")
    return known.task


def create_all(wanted: Sequence[Task], by: By) -> list[Task]:
    """Register many at once: one count, one line on the trail, each by itself else."""
    if not wanted:
        return []
    count(by.tenant_id, len(wanted))
    tell(by, "tasks.created", f"{len(wanted)} tasks from {wanted[0].task_id}")
    return create_many([lifecycle.stamped(task, by) for task in wanted])


def cancel(task_id: str, by: By) -> Task | None:
    """Cancel it before it starts; done again, it is made to govern again."""
    here = False

    def edit(task: Task, _now: int) -> Task:
        # Of many at once only the one whose write ends it may give its place back.
        nonlocal here
        here = task.status != "cancelled"
        if not here:
            return task
        refuse_started(row(task))
        return lifecycle.touched(task, lifecycle.cancelled(task), by)

    def also(_before: Task, _after: Task) -> Sequence[Part]:
        return [trail.insert(by, "task.cancelled", task_id)]

    cancelled = change(task_id, edit, also)
    if cancelled is not None and here:
        count(by.tenant_id, -1)
    return cancelled


def reschedule(task_id: str, moved: Task, by: By) -> Task | None:
    """Give it the time of another definition; what waits for the former time is superseded."""

    def edit(task: Task, _now: int) -> Task:
        refuse_started(row(task))
        return lifecycle.touched(task, lifecycle.moved(task, moved), by)

    def also(before: Task, after: Task) -> Sequence[Part]:
        times = [{"run_at": each.shown["start_at"]} for each in (before, after)]
        return [trail.insert(by, "task.rescheduled", task_id, before=times[0], after=times[1])]

    return change(task_id, edit, also)


def row(task: Task) -> Run | None:
    """Read its run, if there is one yet."""
    item = tables.get(runs.TABLE, oneoff.row_key(task))
    return runs.readable(item) if item else None


def refuse_started(run: Run | None) -> None:
    """Only what has not begun can be taken back."""
    if run is not None and run.final:
        message = f"Its run is {run.life.status}: nothing can be changed any more."
        raise Problem("already_finished", message)
    if run is not None and run.life.attempt:
        message = f"Its run has started: cancel {run.run_id} instead."
        raise Problem("already_started", message)
