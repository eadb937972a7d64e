"""Locks a schedule's name: one item for each name, so that no two schedules share one."""

from __future__ import annotations

from onthedot.records.conditional_writes import Clause, Delete, Insert, Key
from onthedot.records.tasks.task_spec import TABLE, Task

OWNER = "of_task"
_PART = "name"


def key(tenant_id: str, name: str) -> dict[str, str]:
    """Returns the key of the item that says which schedule has a name."""
    return {"task_id": f"name#{tenant_id}#{name}", "part": _PART}


def taking(task: Task) -> Insert:
    """Takes the name. Refused if another schedule has it."""
    item = key(task.tenant_id, task.name) | {OWNER: task.task_id}
    return Insert(TABLE, item, ("task_id", "part"))


def freeing(task: Task) -> Delete:
    """Frees the name."""
    at: Key = tuple(key(task.tenant_id, task.name).items())
    return Delete(TABLE, at, (Clause.equal(OWNER, task.task_id),))
