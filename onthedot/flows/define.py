"""A schedule as its user writes it: the name taken, the quota counted, the trail kept."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from onthedot.adapters import access as stored
from onthedot.adapters import claims, tables
from onthedot.core import lifecycle, names, pauses, trail
from onthedot.core import task as tasks
from onthedot.core.definition import fields_of
from onthedot.core.problems import Fault, Problem
from onthedot.core.registered import revision
from onthedot.core.task import Task
from onthedot.core.trail import By
from onthedot.core.writes import Part
from onthedot.flows.change import Changed, changed
from onthedot.flows.known import Known
from onthedot.flows.recount import recount
from onthedot.flows.register import create_with

Edit = Callable[[Task, int], Task]


def create(task: Task, by: By, also: Sequence[Part] = ()) -> Task:
    """Register a schedule; the counter stands outside, or creates would cancel one another."""
    task = lifecycle.stamped(task, by)
    told = trail.insert(by, "schedule.created", task.task_id, after=fields_of(task))
    count(by.tenant_id, 1)
    born = create_with(task, [names.taking(task), told, *also])
    if born is None:
        count(by.tenant_id, -1)
        raise taken(task.name, owner(task.tenant_id, task.name))
    return born


def edit(
    task_id: str, make: Edit, by: By, what: str, *, known: Known | None = None
) -> Changed | None:
    """Change a schedule, as it is or has just been read; None: it is not there any more."""

    def made(task: Task, now: int) -> Task:
        wanted = lifecycle.touched(task, make(task, now), by)
        if wanted.name != task.name:
            other = owner(task.tenant_id, wanted.name)
            if other not in (None, task.task_id):
                raise taken(wanted.name, other)
        return wanted

    def also(before: Task, after: Task) -> Sequence[Part]:
        parts: list[Part] = []
        if after.status == "deleted":
            parts.append(names.freeing(before))
        elif after.name != before.name:
            parts += [names.freeing(before), names.taking(after)]
        if after.schedule_version != before.schedule_version:
            parts.append(revision(before, until=after.effective_from, by=by.key_id))
        if pauses.end_of(after) not in (None, pauses.end_of(before)):
            parts += pauses.to_end(after)
        told = trail.insert(by, what, task_id, before=_told_of(before), after=_told_of(after))
        return [*parts, told]

    at_hand = None if known is None or known.mended else known
    return changed(task_id, made, also, known=at_hand)


def _told_of(task: Task) -> dict[str, Any]:
    return fields_of(task) | {"paused": task.shown.get("paused")}


def end(task_id: str, by: By, known: Known | None = None) -> None:
    """End a schedule; done again, it is made to govern again."""
    here = False

    def make(task: Task, now: int) -> Task:
        # Of many at once only the one whose write ends it may give its place back.
        nonlocal here
        here = task.status != "deleted"
        return lifecycle.ended(task, now)

    if edit(task_id, make, by, "schedule.deleted", known=known) and here:
        count(by.tenant_id, -1)


def count(tenant_id: str, number: int) -> None:
    """Count a tenant's tasks, up to its quota."""
    counted = stored.count(tenant_id, number)
    if not counted and recount(tenant_id):
        counted = stored.count(tenant_id, number)
    if not counted:
        message = "The tenant has as many tasks as it may: delete some, or ask an admin for more."
        raise Problem("quota_exceeded", message)


def tell(by: By, what: str, about: str, **changed: Mapping[str, Any]) -> None:
    """Put a line on the audit trail for what is no write of its own; `before`, `after` as well."""
    claims.write_one(trail.insert(by, what, about, **changed))


def owner(tenant_id: str, name: str) -> str | None:
    """Tell whose a name is."""
    item = tables.get(tasks.TABLE, names.key(tenant_id, name))
    return None if item is None else str(item[names.OWNER])


def taken(name: str, owner: str | None) -> Problem:
    """Say that a name is another's."""
    message = f"The name '{name}' is taken by {owner}: choose another name."
    fault = Fault(pointer="/name", code="name_taken", message=message, field="name")
    return Problem("name_taken", message, [fault])
