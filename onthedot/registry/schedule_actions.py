"""Does what a user asks of a schedule: create, change, pause, resume, end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import partial
from typing import Any

from onthedot.dispatch.dispatcher import dispatch_inline
from onthedot.launch.catchup_flow import catch_up
from onthedot.records.access import audit_trail
from onthedot.records.access.audit_trail import By
from onthedot.records.conditional_writes import Insert, Outcome, Part
from onthedot.records.problems import Problem
from onthedot.records.tasks import task_cursor, task_items, task_spec
from onthedot.records.tasks.payloads import of_task
from onthedot.records.tasks.task_items import Known, cursor, first_due
from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import LOOK_AHEAD_SEC
from onthedot.registry import lifecycle
from onthedot.registry.calendar_edits import resolve
from onthedot.registry.definition import fields_of
from onthedot.registry.edit import Check, Edited, Make, any_state, edit
from onthedot.registry.edit_writes import Signed
from onthedot.registry.task_quota import recount
from onthedot.schedule.expression.errors import BusyError
from onthedot.store import clock, conditional_writer
from onthedot.store.access import access_table
from onthedot.store.payloads import stored
from onthedot.store.schedule_names import owner, taken
from onthedot.store.tasks import read

_TRIES = 8


def create_with(task: Task, also: Sequence[Part]) -> Task | None:
    """Registers a task together with other items. None: one of those is taken."""
    born = lifecycle.born(task, clock.now_ms() // 1000)
    items = [cursor(born, first_due(born)), _spec(born)]
    inserts = [Insert(task_spec.TABLE, item, ("task_id", "part")) for item in items]
    for _ in range(_TRIES):
        outcome = conditional_writer.write_together([*inserts, *also])
        if outcome is Outcome.DONE:
            break
        known = read(born.task_id)
        if known is not None and known.task == born:
            # It is our own write, whose answer was lost.
            break
        if known is None and outcome is Outcome.REFUSED:
            return None
    else:
        raise BusyError(f"{born.task_id} could not be registered in {_TRIES} tries")
    _dispatch_near([(born, items[0])])
    return born


def create_many(wanted: Sequence[Task]) -> list[Task]:
    """Registers tasks alone: no name, count or line of the trail is written with them.

    Specs go first, because a task fires as soon as its cursor exists.
    """
    now = clock.now_ms() // 1000
    born = [lifecycle.born(task, now) for task in wanted]
    cursors = [cursor(task, first_due(task)) for task in born]
    for items in ([_spec(task) for task in born], cursors):
        conditional_writer.surely(
            [Insert(task_spec.TABLE, item, ("task_id", "part")) for item in items]
        )
    _dispatch_near(list(zip(born, cursors, strict=True)))
    return born


def _spec(task: Task) -> dict[str, Any]:
    return task.item() | {"payload": stored(of_task(task.task_id, task.version), task.payload)}


def _dispatch_near(written: Sequence[tuple[Task, Mapping[str, Any]]]) -> None:
    """Dispatches tasks for which the next tick may be too late, as they were just written."""
    until = clock.now_ms() // 1000 + LOOK_AHEAD_SEC
    due = [task_cursor.parse(item, task.closed) for task, item in written if "due_shard" in item]
    near = [each for each in due if each.next_run_at <= until]
    if near:
        dispatch_inline(*near)


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
    wanted = fields.get("calendars", ())
    named = resolve(task.tenant_id, wanted) if wanted else ()
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
