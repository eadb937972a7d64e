"""Does what a user asks of a schedule: create, change, pause, resume, end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from onthedot.launch.catchup_flow import catch_up
from onthedot.records.access import audit_trail
from onthedot.records.access.audit_trail import By
from onthedot.records.problems import Problem
from onthedot.records.tasks import task_items
from onthedot.records.tasks.task_items import Known
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import lifecycle
from onthedot.registry.calendar_edits import resolve
from onthedot.registry.creation import create_with
from onthedot.registry.definition import fields_of
from onthedot.registry.edit import Check, Edited, Make, any_state, edit
from onthedot.registry.edit_steps import Signed
from onthedot.registry.task_quota import recount
from onthedot.store import conditional_writer
from onthedot.store.access import access_table
from onthedot.store.schedule_names import owner, taken


def create(task: Task, by: By, *, again: bool = False) -> Task:
    """Registers a schedule. The counter is not in the transaction, or creates would collide.

    `again`: an earlier try may have registered it and died before it was dispatched.
    """
    done = edit(task.task_id, lifecycle.unchanged) if again else None
    if done is not None:
        return done.task
    task = lifecycle.stamped(task, by)
    told = audit_trail.insert(by, "schedule.created", task.task_id, after=fields_of(task))
    count(by.tenant_id, 1)
    born = create_with(task, [task_items.taking(task), told])
    if born is None:
        count(by.tenant_id, -1)
        raise taken(task.name, owner(task.tenant_id, task.name))
    return born


def redefined(task: Task, now: int, *, fields: Mapping[str, Any]) -> Task:
    """Gives a schedule these fields, and what their calendars exclude now."""
    named = resolve(task.tenant_id, fields.get("calendars", ()))
    return lifecycle.redefined(task, now, fields, named)


def redefine(
    task_id: str, make: Make, by: By, *, check: Check = any_state, known: Known | None = None
) -> Edited | None:
    """Changes a schedule by `make`. `known`: it was just read."""
    return edit(task_id, make, Signed(by, "schedule.changed"), check=check, known=known)


def pause(
    task_id: str,
    by: By,
    *,
    reason: str | None = None,
    until: int | None = None,
    check: Check = any_state,
    known: Known | None = None,
) -> Edited | None:
    """Stops new starts, until a time or until it is resumed. Running runs go on."""
    make = partial(lifecycle.paused_by, key_id=by.key_id, reason=reason, until=until)
    return edit(task_id, make, Signed(by, "schedule.paused"), check=check, known=known)


def resume(
    task_id: str,
    by: By,
    slots: Sequence[int] = (),
    *,
    check: Check = any_state,
    known: Known | None = None,
) -> Edited | None:
    """Continues from now, and runs these slots of the pause after all."""
    signed = Signed(by, "schedule.resumed")
    resumed = edit(task_id, lifecycle.resumed, signed, check=check, known=known)
    if resumed is not None:
        catch_up(resumed.task, slots)
    return resumed


def end(
    task_id: str, by: By, *, check: Check = any_state, known: Known | None = None
) -> Edited | None:
    """Ends a schedule. A second call finishes what the first one began."""
    signed = Signed(by, "schedule.deleted")
    ended = edit(task_id, lifecycle.ended, signed, check=check, known=known)
    # Of several calls only the one whose write ends it gives its place back.
    if ended is not None and ended.before.status != "deleted":
        count(by.tenant_id, -1)
    return ended


def count(tenant_id: str, number: int) -> None:
    """Counts a tenant's tasks, up to its quota."""
    counted = access_table.count(tenant_id, number)
    if not counted and recount(tenant_id):
        counted = access_table.count(tenant_id, number)
    if not counted:
        message = "The tenant has as many tasks as it may: delete some, or ask an admin for more."
        raise Problem("quota_exceeded", message)


def tell(by: By, what: str, about: str, **changed: Mapping[str, Any]) -> None:
    """Writes a line on the audit trail for an act without a write of its own."""
    conditional_writer.write_one(audit_trail.insert(by, what, about, **changed))
