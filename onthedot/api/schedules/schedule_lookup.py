"""Schedules by what a path calls them: an id, or a name; a foreign one is as good as none."""

from __future__ import annotations

from dataclasses import replace

from onthedot.api.door.request import tenant
from onthedot.records.problems import Problem, not_found
from onthedot.records.tasks.task_items import Known
from onthedot.registry import definition
from onthedot.schedule.packed_schedule import UNREADABLE, pack
from onthedot.store.schedule_names import owner
from onthedot.store.tasks import read


def find(schedule: str) -> Known:
    """Give a schedule of this tenant's."""
    found = find_any(schedule)
    if found is None or found.task.status == "deleted":
        raise missing()
    return found


def find_any(schedule: str) -> Known | None:
    """Give it even if it is deleted."""
    task_id: str | None = schedule
    if not schedule.startswith("sch_"):
        task_id = owner(tenant(), schedule)
    found = read(task_id) if task_id else None
    if found is None or found.task.tenant_id != tenant():
        return None
    return _readable(found)


def _readable(found: Known) -> Known:
    """One that was set aside because nobody can read its schedule is shown by its fields."""
    try:
        _ = found.task.schedule
    except UNREADABLE:
        compiled = definition.compiled(definition.fields_of(found.task), found.task.task_id)
        return replace(found, task=replace(found.task, compiled=pack(compiled)), mended=True)
    return found


def missing() -> Problem:
    """Say that there is no such schedule."""
    return not_found("schedule of that id or name")
