"""Finds schedules by the id or name in a path. Another tenant's is not found."""

from __future__ import annotations

from dataclasses import replace

from onthedot.api.door.request import tenant
from onthedot.records.problems import Problem, not_found
from onthedot.records.tasks.task_items import Known
from onthedot.registry import definition
from onthedot.schedule.schedule import UNREADABLE, pack
from onthedot.store.schedule_names import owner
from onthedot.store.tasks import read


def find(schedule: str) -> Known:
    """Returns a schedule of this tenant."""
    found = find_any(schedule)
    if found is None or found.task.status == "deleted":
        raise missing()
    return found


def find_any(schedule: str) -> Known | None:
    """Returns it even if it is deleted."""
    task_id: str | None = schedule
    if not schedule.startswith("sch_"):
        task_id = owner(tenant(), schedule)
    found = read(task_id) if task_id else None
    if found is None or found.task.tenant_id != tenant():
        return None
    return _readable(found)


def _readable(found: Known) -> Known:
    """Returns a schedule that was set aside with its fields: nobody can read its compiled form."""
    try:
        _ = found.task.schedule
    except UNREADABLE:
        compiled = definition.compiled(definition.fields_of(found.task), found.task.task_id)
        return replace(found, task=replace(found.task, compiled=pack(compiled)), mended=True)
    return found


def missing() -> Problem:
    """Says that the schedule does not exist."""
    return not_found("schedule of that id or name")
