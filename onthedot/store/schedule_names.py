"""Reads which schedule has a name, and refuses a name that is taken."""

from __future__ import annotations

from onthedot.records.problems import Fault, Problem
from onthedot.records.tasks import task_items, task_spec
from onthedot.records.tasks.task_spec import Task
from onthedot.store import table_reads


def owner(tenant_id: str, name: str) -> str | None:
    """Returns the schedule that has the name, if any."""
    item = table_reads.get(task_spec.TABLE, task_items.key(tenant_id, name))
    return None if item is None else str(item[task_items.OWNER])


def check_free(task: Task) -> None:
    """Refuses a task the name of another schedule."""
    other = owner(task.tenant_id, task.name)
    if other not in (None, task.task_id):
        raise taken(task.name, other)


def taken(name: str, owner: str | None) -> Problem:
    """Returns the problem that a name is taken."""
    message = f"The name '{name}' is taken by {owner}: choose another name."
    fault = Fault(pointer="/name", code="name_taken", message=message, field="name")
    return Problem("name_taken", message, [fault])
