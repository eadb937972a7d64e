"""A user's writes, by the very functions that the API's handlers call; only HTTP is left out."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from onthedot.records.access.audit_trail import By
from onthedot.records.keys import CHANCE_LETTERS
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import definition, schedule_actions
from onthedot.registry.edit import Edited
from onthedot.store import clock, ids

TENANT = "acme"


def by() -> By:
    """Returns who asks, as a request of its own."""
    return By(
        tenant_id=TENANT,
        key_id="key_1",
        request_id="req_1",
        now_ms=clock.now_ms(),
        chance=ids.token(CHANCE_LETTERS),
    )


def create(task: Task, *, again: bool = False) -> Task:
    return schedule_actions.create(task, by(), again=again)


def patch(task_id: str, **fields: Any) -> Task | None:
    """Returns PATCH: the fields that are named, and the others as they are."""
    return _left(schedule_actions.redefine(task_id, partial(_patched, patch=fields), by()))


def change(task_id: str, make: Callable[[Task, int], Task]) -> Task | None:
    """Returns a change for which a test needs more than fields."""
    return _left(schedule_actions.redefine(task_id, make, by()))


def pause(task_id: str, *, until: int | None = None) -> Task | None:
    return _left(schedule_actions.pause(task_id, by(), until=until))


def resume(task_id: str) -> Task | None:
    return _left(schedule_actions.resume(task_id, by()))


def delete(task_id: str) -> Task | None:
    return _left(schedule_actions.end(task_id, by()))


def _patched(task: Task, now: int, *, patch: Mapping[str, Any]) -> Task:
    whole = definition.patched(definition.fields_of(task), patch)
    return schedule_actions.redefined(task, now, fields=whole)


def _left(edited: Edited | None) -> Task | None:
    return edited.task if edited else None
