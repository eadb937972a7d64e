"""Serves writes of schedules: registered, shown, changed, replaced, ended, each with its answer."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from onthedot.api.door import preconditions, responses
from onthedot.api.door.preconditions import (
    DryRun,
    PlanToken,
    check_new,
    check_none_wanted,
    check_read_only,
    check_task,
    check_version,
    require_version,
)
from onthedot.api.door.request import by, own_id, tenant, tried_before
from onthedot.api.door.responses import Handlers
from onthedot.api.requests import shape_errors
from onthedot.api.requests.schedule_shapes import ScheduleFields, ScheduleIn, SchedulePatch
from onthedot.api.schedules import rules
from onthedot.api.schedules.schedule_lookup import find, find_any, missing
from onthedot.api.views import schedule_view
from onthedot.records.keys import item_key
from onthedot.records.problems import Fault, Problem, of_faults
from onthedot.records.runs import run_row
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_cursor import Due
from onthedot.records.tasks.task_items import Known
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import calendar_edits, definition, lifecycle, schedule_actions
from onthedot.registry.edit import Edited, Make, foreseen
from onthedot.store import clock, table_reads
from onthedot.store.schedule_names import owner, taken
from onthedot.store.tasks import read
from onthedot.upkeep import failing_task


def present(known: Known) -> dict[str, Any]:
    """Shows it as it was read."""
    task, due, now = known.task, known.due, clock.now_ms() // 1000
    rows, failures = _read(task.task_id, _recent(task, due, now))
    return schedule_view.view(task, now, last=_newest_of(rows), due=due, failures=failures)


def born(task: Task) -> dict[str, Any]:
    """Shows a new one."""
    return _view(task, _counted(task), ())


def after(edited: Edited) -> dict[str, Any]:
    """Shows what an edit left."""
    return _view(edited.task, _counted(edited.task), edited.near)


def _counted(task: Task) -> Due | None:
    """Reads the cursor, which counts the runs, only if they are counted."""
    known = read(task.task_id) if task.max_runs is not None else None
    return known.due if known else None


def _view(task: Task, due: Due | None, near: Sequence[Run]) -> dict[str, Any]:
    now = clock.now_ms() // 1000
    last = _newest(task.task_id, _recent(task, due, now), near)
    return schedule_view.view(task, now, last=last, due=due)


def _newest(task_id: str, keys: Sequence[str], near: Sequence[Run]) -> Run | None:
    """Returns the newest of these rows. It reads them unless the newest one is at hand."""
    if not keys:
        return None
    at_hand = next((run for run in near if run.key == keys[0]), None)
    if at_hand is not None:
        return at_hand
    return _newest_of(_read(task_id, keys)[0])


def _recent(task: Task, due: Due | None, now: int) -> list[str]:
    if due is not None:
        exhausted = task.status == "completed" or due.spent
        now = schedule_view.last_seen(due.next_run_at, now, exhausted=exhausted)
    return schedule_view.recent_keys(task.schedule, now, task.shown.get("created_at", ""))


def _read(task_id: str, keys: Sequence[str]) -> tuple[list[Run], int]:
    """Reads rows, and how many runs died in a row, in one call."""
    wanted = [item_key(task_id, key) for key in keys]
    items = table_reads.get_all(run_row.TABLE, [*wanted, failing_task.key(task_id)])
    rows = [item for item in items if item["task_id"] == task_id]
    records = [failing_task.parse(item) for item in items if item not in rows]
    # Once paused for them it needs no warning, even if a user has resumed it.
    failures = sum(health.failures for health in records if not health.paused_ms)
    return [run for run in map(run_row.readable, rows) if run], failures


def _newest_of(found: Sequence[Run]) -> Run | None:
    return max(found, key=lambda run: run.key, default=None)


def create(
    body: Annotated[ScheduleIn, Body()],
    dry_run: DryRun = "false",
    plan_token: PlanToken = None,
) -> Response[str]:
    """Register a schedule. What is due within 150 seconds is claimed before the answer."""
    check_read_only(body.read_only(), {"tenant_id": tenant()})
    return _created(body.given(), dry_run, plan_token)


def show(schedule: str) -> Response[str]:
    """Show one schedule, by its id or its name."""
    return responses.versioned(present(find(schedule)))


def patch(
    schedule: str,
    body: Annotated[SchedulePatch, Body()],
    dry_run: DryRun = "false",
    plan_token: PlanToken = None,
) -> Response[str]:
    """Change the fields that the body names; null sets a field to its default."""
    known = find(schedule)
    given = body.patch()
    _check_kept(body, given, known)

    return _changed(known, partial(_patched, patch=given), dry_run, plan_token)


def put(
    schedule: str,
    body: Annotated[ScheduleFields, Body()],
    dry_run: DryRun = "false",
    plan_token: PlanToken = None,
) -> Response[str]:
    """Create the schedule of that name, or replace it.

    A replacement needs If-Match. If-None-Match: * only creates.
    """
    known = find_any(schedule)
    given = body.given()
    _check_name(schedule, given)
    if known is None or known.task.status == "deleted":
        if schedule.startswith("sch_"):
            raise missing()
        check_read_only(body.read_only(), {"tenant_id": tenant()})
        whole = _checked({"name": schedule, **given})
        return _created(whole, dry_run, plan_token, lambda: check_none_wanted("schedule"))
    if check_new():
        raise Problem("version_mismatch", "It exists already: If-None-Match asks for a new one.")
    require_version()
    _check_kept(body, given, known)
    whole = _checked({"name": known.task.name, **given})
    return _changed(known, partial(_redefined, fields=whole), dry_run, plan_token)


def end(schedule: str, dry_run: DryRun = "false", plan_token: PlanToken = None) -> Response[str]:
    """Delete a schedule: no run of it starts any more, started runs go on, its history stays."""
    known = find_any(schedule)
    if known is None:
        raise missing()
    task = known.task
    check_version(task.version)
    if dry_run == "true":
        effects = {"action": "delete", "task_id": task.task_id, "name": task.name}
        return preconditions.plan(effects, task.version)
    preconditions.check(plan_token, task.version)
    schedule_actions.end(task.task_id, by(), known=known)
    return responses.empty()


def _check_kept(body: ScheduleFields, given: Mapping[str, Any], known: Known) -> None:
    """Refuses a new status: only a pause or a resume changes it. Here it is read-only."""
    status = {"status": given["status"]} if "status" in given else {}
    aside = {**body.read_only(), **status}
    if aside:
        check_read_only(aside, present(known))


def _check_name(schedule: str, given: Mapping[str, Any]) -> None:
    """Refuses a PUT by name that would rename the schedule."""
    name = given.get("name", schedule)
    if not schedule.startswith("sch_") and name != schedule:
        message = f"The body's name is '{name}': expected '{schedule}', as in the address."
        fault = Fault(pointer="/name", code="bad_value", message=message, field="name")
        raise of_faults("invalid_field", [fault])


def _created(
    given: Mapping[str, Any],
    dry_run: str,
    plan_token: str | None,
    check: Callable[[], None] = lambda: None,
) -> Response[str]:
    rules.check(given)
    definition.check_new(given)
    definition.check_owner(given)
    wanted = given.get("calendars", ())
    named = calendar_edits.resolve(tenant(), wanted) if wanted else ()
    task = definition.schedule(given, task_id=own_id("sch"), tenant_id=tenant(), blackouts=named)
    check()
    holder = None if dry_run != "true" and plan_token is None else _holder(task)
    if dry_run == "true":
        if holder:
            raise taken(task.name, holder)
        now = clock.now_ms() // 1000
        planned = schedule_view.view(lifecycle.born(lifecycle.stamped(task, by()), now), now)
        return preconditions.plan(
            {"action": "create", "schedule": {**rules.told(planned), "task_id": None}}, None
        )
    preconditions.check(plan_token, holder)
    made = schedule_actions.create(task, by(), again=tried_before())
    where = {"Location": f"/v1/schedules/{made.task_id}"}
    return responses.versioned(rules.told(born(made)), 201, where)


def _holder(task: Task) -> str | None:
    return owner(task.tenant_id, task.name)


def _patched(task: Task, now: int, *, patch: Mapping[str, Any]) -> Task:
    whole = _checked(definition.patched(definition.fields_of(task), patch))
    return _redefined(task, now, fields=whole)


def _redefined(task: Task, now: int, *, fields: Mapping[str, Any]) -> Task:
    definition.check_owner(fields, task.shown.get("managed_by", ""))
    return schedule_actions.redefined(task, now, fields=fields)


def _changed(known: Known, make: Make, dry_run: str, plan_token: str | None) -> Response[str]:
    before = known.task
    now = clock.now_ms() // 1000
    if dry_run == "true":
        check_task(before)
        expected = foreseen(known, make(before, now), now)
        planned = schedule_view.view(expected.task, now, due=expected.due)
        effects = {
            "action": "change",
            "changed": definition.differences(before, expected.task),
            "schedule": rules.told(planned, edited=True),
        }
        return preconditions.plan(effects, before.version)
    preconditions.check(plan_token, before.version)
    written = schedule_actions.redefine(before.task_id, make, by(), check=check_task, known=known)
    if written is None:
        raise missing()
    return responses.versioned(rules.told(after(written), edited=True))


def _checked(fields: Mapping[str, Any]) -> dict[str, Any]:
    """Checks a whole schedule, made of stored and sent fields, by its limits."""
    given = shape_errors.checked(ScheduleIn, fields).given()
    rules.check(given)
    return given


HANDLERS: Handlers = {
    "POST /v1/schedules": create,
    "GET /v1/schedules/{schedule}": show,
    "PUT /v1/schedules/{schedule}": put,
    "PATCH /v1/schedules/{schedule}": patch,
    "DELETE /v1/schedules/{schedule}": end,
}
