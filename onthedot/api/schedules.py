"""Schedules: registered, listed, shown, ended, run by hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from onthedot.adapters import clock, listing, tables
from onthedot.api import answers
from onthedot.api.answers import Handlers
from onthedot.api.asking import asked, tenant
from onthedot.api.pages import Cursor, Limit, Listing
from onthedot.api.shapes import ScheduleIn, TriggerIn
from onthedot.core import definition, run_view, schedule_view
from onthedot.core import run as runs
from onthedot.core.problems import not_found
from onthedot.core.run import Run
from onthedot.core.task import Task
from onthedot.flows import change, register, trigger
from onthedot.flows.identity import new_id
from onthedot.flows.known import Known, read


def create(body: Annotated[ScheduleIn, Body()]) -> Response[str]:
    """Register a schedule."""
    by, now_ms = asked().by, clock.now_ms()
    defined = definition.schedule(body.given(), task_id=new_id("sch"), tenant_id=by.tenant_id)
    born = register.create(definition.stamped(defined, by.key_id, now_ms))
    shown = schedule_view.view(born, now_ms // 1000)
    return answers.versioned(shown, 201, {"Location": f"/v1/schedules/{born.task_id}"})


def show(schedule: str) -> Response[str]:
    """Show one schedule."""
    known = find(schedule)
    now = clock.now_ms() // 1000
    last = _newest(known.task, schedule_view.recent_keys(known.task, now))
    return answers.versioned(
        schedule_view.view(known.task, now, last=last, runs_left=known.due.runs_left)
    )


def index(limit: Limit = 50, cursor: Cursor = None) -> Response[str]:
    """List them, newest first."""
    listed = f"{tenant()}#s"
    wanted = Listing(known={"listed": listed, "part": "spec"}, names=("created_at", "task_id"))
    page = listing.by_tenant(listed, limit=limit, start=wanted.start(cursor))
    now = clock.now_ms() // 1000
    return wanted.answer([schedule_view.entry(item, now) for item in page.items], page.last)


def end(schedule: str) -> Response[str]:
    """End it; its runs and their history stay."""
    change.change(find(schedule).task.task_id, lambda task, _now: definition.ended(task))
    return answers.empty()


def start(schedule: str, body: Annotated[TriggerIn | None, Body()] = None) -> Response[str]:
    """Run it once, now."""
    task = find(schedule).task
    payload = body.payload if body else None
    run = trigger.trigger(task.task_id, payload=payload)
    if run is None:
        raise not_found("schedule of that id or name")
    shown = run_view.view(run, task, task.payload if payload is None else payload)
    return answers.answer(shown, 202, {"Location": f"/v1/runs/{run.run_id}"})


def history(schedule: str, limit: Limit = 50, cursor: Cursor = None) -> Response[str]:
    """List its runs, newest first."""
    task = find(schedule).task
    wanted = Listing(known={"task_id": task.task_id}, names=("scheduled_for",))
    page = listing.runs(task.task_id, ("0", "~"), limit=limit, start=wanted.start(cursor))
    # What lies beside a run, its payload for one, has no life.
    seen = [runs.readable(item) for item in page.items]
    return wanted.answer([run_view.summary(run, task) for run in seen if run], page.last)


def find(schedule: str) -> Known:
    """Give a schedule of this tenant's by its id; a foreign one is as good as none."""
    known = read(schedule) if schedule.startswith("sch_") else None
    if known is None or known.task.tenant_id != tenant() or known.task.status == "deleted":
        raise not_found("schedule of that id or name")
    return known


def _newest(task: Task, keys: Sequence[str]) -> Run | None:
    """Read the rows that may be its last run's, and give the newest that is there."""
    if not keys:
        return None
    wanted = {runs.TABLE: [{"task_id": task.task_id, "scheduled_for": key} for key in keys]}
    found = [runs.readable(item) for item in tables.get_many(wanted)[runs.TABLE]]
    return max((run for run in found if run), key=lambda run: run.key, default=None)


HANDLERS: Handlers = {
    "POST /v1/schedules": create,
    "GET /v1/schedules": index,
    "GET /v1/schedules/{schedule}": show,
    "DELETE /v1/schedules/{schedule}": end,
    "POST /v1/schedules/{schedule}/trigger": start,
    "GET /v1/schedules/{schedule}/runs": history,
}
