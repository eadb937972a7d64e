"""Describes the items of a task: what the user wrote, the cursor, and the lock on its name."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from onthedot.records.conditional_writes import Clause, Delete, Insert, Key
from onthedot.records.keys import CURSOR, part_key, shard_of
from onthedot.records.runs.message_pack import runs_max
from onthedot.records.tasks.task_cursor import Due
from onthedot.records.tasks.task_spec import TABLE, Task
from onthedot.schedule.time.instants import nominal

OWNER = "of_task"
_PART = "name"


def key(tenant_id: str, name: str) -> dict[str, str]:
    """Returns the key of the item that says which schedule has a name."""
    return part_key(f"name#{tenant_id}#{name}", _PART)


def taking(task: Task) -> Insert:
    """Takes the name. Refused if another schedule has it."""
    item = key(task.tenant_id, task.name) | {OWNER: task.task_id}
    return Insert(TABLE, item, ("task_id", "part"))


def freeing(task: Task) -> Delete:
    """Frees the name."""
    at: Key = tuple(key(task.tenant_id, task.name).items())
    return Delete(TABLE, at, (Clause.equal(OWNER, task.task_id),))


HISTORY_SEC = 90 * 86_400


@dataclass(frozen=True, slots=True)
class Known:
    """A task as it was read: both of its items."""

    task: Task
    due: Due
    indexed: bool
    # Shown differently from what is stored. It may be read, but not written back.
    mended: bool = False
    # The payload as the spec stores it: it may lie elsewhere.
    payload: str = ""


def cursor(task: Task, next_run_at: int | None) -> dict[str, Any]:
    """Writes the cursor. Without a next slot, or if not active, it is not in the index."""
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
        "pack_max": runs_max(task.target),
        "next_run_at": nominal(task.effective_from if next_run_at is None else next_run_at),
    }
    if task.blackouts:
        # Dispatch reads the spec of tasks with calendars: the cursor has no room for them.
        item["calendars"] = [one["name"] for one in task.blackouts]
    if task.max_runs is not None:
        item["runs_left"] = task.max_runs
    if "expires_at" in task.shown:
        item["expires_at"] = task.shown["expires_at"]
    if next_run_at is not None and task.status == "active":
        item["due_shard"] = shard_of(task.task_id)
    return item


def first_due(task: Task) -> int | None:
    """Returns when the first slot of the present schedule is due.

    Due times decide, as in the worker: jitter may move a slot across the edge.
    """
    slot = task.schedule.prev(task.effective_from + 1)
    if slot is None or task.schedule.due_at(slot) <= task.effective_from:
        slot = task.schedule.next(task.effective_from)
    return None if slot is None else task.schedule.due_at(slot)


def revision(before: Task, *, until: int, by: str) -> Insert:
    """Keeps a former schedule as long as the runs that it led to."""
    item = {
        **revision_key(before.task_id, before.schedule_version),
        "compiled": before.compiled,
        "from": nominal(before.effective_from),
        "until": nominal(until),
        "by": by,
        "expires_at": until + HISTORY_SEC,
    }
    return Insert(TABLE, item, ("task_id", "part"))


def revision_key(task_id: str, schedule_version: int) -> dict[str, str]:
    """Returns the key under which a former schedule of a task is kept."""
    return part_key(task_id, f"rev#{schedule_version:06}")
