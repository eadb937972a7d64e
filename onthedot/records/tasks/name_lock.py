"""A schedule's name: one item a name, so that the store sees to it that no two share one."""

from __future__ import annotations

from onthedot.records.conditional_writes import Clause, Delete, Insert, Key
from onthedot.records.tasks.task_spec import TABLE, Task

OWNER = "of_task"
_PART = "name"


def key(tenant_id: str, name: str) -> dict[str, str]:
    """Give the key of the item that says whose a name is."""
    return {"task_id": f"name#{tenant_id}#{name}", "part": _PART}


def taking(task: Task) -> Insert:
    """Take the name; refused if it is another's."""
    item = key(task.tenant_id, task.name) | {OWNER: task.task_id}
    return Insert(TABLE, item, ("task_id", "part"))


def freeing(task: Task) -> Delete:
    """Give the name free."""
    at: Key = tuple(key(task.tenant_id, task.name).items())
    return Delete(TABLE, at, (Clause.equal(OWNER, task.task_id),))
