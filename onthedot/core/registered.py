"""The two items of a task: what the user wrote, and the cursor that dispatch advances."""

from __future__ import annotations

from typing import Any

from onthedot.core.instants import nominal
from onthedot.core.keys import CURSOR, shard_of
from onthedot.core.task import Task


def cursor(task: Task, next_run_at: int | None) -> dict[str, Any]:
    """Write the cursor; without a next slot, or unless active, it is not in the index."""
    item: dict[str, Any] = {
        "task_id": task.task_id,
        "part": CURSOR,
        "tenant_id": task.tenant_id,
        "version": task.version,
        "schedule_version": task.schedule_version,
        "compiled": task.compiled,
        "misfire": task.misfire,
        "grace_sec": task.misfire_grace_sec,
        "queue": task.queue,
        "next_run_at": nominal(task.effective_from if next_run_at is None else next_run_at),
    }
    if task.max_runs is not None:
        item["runs_left"] = task.max_runs
    if next_run_at is not None and task.status == "active":
        item["due_shard"] = shard_of(task.task_id)
    return item


def first_due(task: Task) -> int | None:
    """When the first slot of the present schedule is due.

    A slot counts by its due time, as the worker has it: jitter may carry one over the edge.
    """
    slot = task.schedule.prev(task.effective_from + 1)
    if slot is None or task.schedule.due_at(slot) <= task.effective_from:
        slot = task.schedule.next(task.effective_from)
    return None if slot is None else task.schedule.due_at(slot)
