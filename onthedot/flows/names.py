"""The names of schedules: whose each is, and the refusal of one that is taken."""

from __future__ import annotations

from onthedot.adapters import tables
from onthedot.core import names
from onthedot.core import task as tasks
from onthedot.core.problems import Fault, Problem
from onthedot.core.task import Task


def owner(tenant_id: str, name: str) -> str | None:
    """Tell whose a name is."""
    item = tables.get(tasks.TABLE, names.key(tenant_id, name))
    return None if item is None else str(item[names.OWNER])


def check_free(task: Task) -> None:
    """Refuse to give a task the name of another one."""
    other = owner(task.tenant_id, task.name)
    if other not in (None, task.task_id):
        raise taken(task.name, other)


def taken(name: str, owner: str | None) -> Problem:
    """Say that a name is another's."""
    message = f"The name '{name}' is taken by {owner}: choose another name."
    fault = Fault(pointer="/name", code="name_taken", message=message, field="name")
    return Problem("name_taken", message, [fault])
