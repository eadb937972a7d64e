"""Serves one-off tasks: registered alone or by the hundred, listed, shown, cancelled, moved."""

from __future__ import annotations

import json
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from onthedot.api.door import preconditions, responses
from onthedot.api.door.preconditions import DryRun, PlanToken, check_read_only, check_version
from onthedot.api.door.request import asked, began_ms, by, own_id, tenant, tried_before
from onthedot.api.door.responses import Handlers
from onthedot.api.requests import shape_errors
from onthedot.api.requests.action_shapes import RescheduleIn
from onthedot.api.requests.schedule_shapes import TaskIn, TasksIn
from onthedot.api.runs import run_lookup
from onthedot.api.schedules import rules
from onthedot.api.views import run_view
from onthedot.records.access.business_key import BusinessKey, digest
from onthedot.records.problems import Problem, not_found
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import oneoff, oneoff_flow
from onthedot.store import run_inputs
from onthedot.store.tasks import read


def create(
    body: Annotated[TaskIn, Body()], dry_run: DryRun = "false", plan_token: PlanToken = None
) -> Response[str]:
    """Register a task that runs once: at an instant, after a while, or now."""
    task, key = _defined(body)
    if dry_run == "true":
        shown = {**rules.told(oneoff.view(task, None, None)), "task_id": None}
        return preconditions.plan({"action": "create", "task": shown}, None)
    preconditions.check(plan_token, None)
    born, new = oneoff_flow.create(task, by(), key, again=tried_before())
    where = {"Location": f"/v1/tasks/{born.task_id}"}
    return responses.versioned(rules.told(_shown(born)), 201 if new else 200, where)


def create_batch(
    body: Annotated[TasksIn, Body()], dry_run: DryRun = "false", plan_token: PlanToken = None
) -> Response[str]:
    """Register up to 100 tasks; each has its own result, in order."""
    if dry_run == "true":
        return preconditions.plan(
            {"action": "create", "data": [_dry(each) for each in body.tasks]}, None
        )
    preconditions.check(plan_token, None)
    results: list[dict[str, Any]] = []
    waiting: list[tuple[int, Task]] = []
    for place, wanted in enumerate(body.tasks):
        results.append({})
        try:
            shape = shape_errors.checked(TaskIn, wanted)
            task, key = _defined(shape)
            if key is None:
                waiting.append((place, task))
            else:
                born, new = oneoff_flow.create(task, by(), key)
                results[place] = {
                    "status": 201 if new else 200,
                    "task": rules.told(_shown(born)),
                }
        except Problem as problem:
            results[place] = _refused(problem)
    made = oneoff_flow.create_all([task for _, task in waiting], by())
    for (place, _), born in zip(waiting, made, strict=True):
        results[place] = {"status": 201, "task": rules.told(oneoff.view(born, None, None))}
    return responses.answer({"data": results})


def _dry(wanted: dict[str, Any]) -> dict[str, Any]:
    try:
        task, _ = _defined(shape_errors.checked(TaskIn, wanted))
    except Problem as problem:
        return _refused(problem)
    shown = rules.told(oneoff.view(task, None, None))
    return {"status": 201, "task": {**shown, "task_id": None}}


def _refused(problem: Problem) -> dict[str, Any]:
    told = problem.as_json(instance=asked().path, request_id=asked().request_id)
    return {"status": problem.status, "problem": told}


def show(task_id: str) -> Response[str]:
    """Show one task, and its run once there is one."""
    return responses.versioned(_shown(find(task_id)))


def cancel(task_id: str, dry_run: DryRun = "false", plan_token: PlanToken = None) -> Response[str]:
    """Cancel a task that has not started."""
    task = find(task_id)
    check_version(task.version)
    if dry_run == "true":
        oneoff_flow.refuse_started(oneoff_flow.row(task))
        return preconditions.plan({"action": "cancel", "task_id": task_id}, task.version)
    preconditions.check(plan_token, task.version)
    return _written(oneoff_flow.cancel(task_id, by()))


def reschedule(
    task_id: str,
    body: Annotated[RescheduleIn, Body()],
    dry_run: DryRun = "false",
    plan_token: PlanToken = None,
) -> Response[str]:
    """Move a task that has not started to another time."""
    task = find(task_id)
    check_version(task.version)
    # Each try of one request means the same time.
    moved = oneoff.moved(task, body.given(), began_ms())
    if dry_run == "true":
        oneoff_flow.refuse_started(oneoff_flow.row(task))
        effects = {"action": "reschedule", "run_at": moved.shown["start_at"]}
        return preconditions.plan(effects, task.version)
    preconditions.check(plan_token, task.version)
    return _written(oneoff_flow.reschedule(task_id, moved, by()))


def find(task_id: str) -> Task:
    """Returns a task of this tenant. Another tenant's task is reported as not found."""
    known = read(task_id) if task_id.startswith("tsk_") else None
    if known is None or known.task.tenant_id != tenant() or known.task.status == "deleted":
        raise not_found("task of that id")
    return known.task


def _defined(body: TaskIn) -> tuple[Task, BusinessKey | None]:
    check_read_only(body.read_only(), {"tenant_id": tenant(), "status": "active"})
    given = body.given()
    rules.check(given)
    task = oneoff.define(given, task_id=own_id("tsk"), tenant_id=tenant(), now_ms=began_ms())
    if "idempotency_key" not in given:
        return task, None
    ttl_sec = given.get("idempotency_ttl_sec", BUSINESS_KEY_SEC)
    whole = digest(json.dumps(given, sort_keys=True))
    key = given["idempotency_key"]
    return task, BusinessKey(tenant_id=tenant(), key=key, ttl_sec=ttl_sec, body_hash=whole)


BUSINESS_KEY_SEC = 86_400


def _shown(task: Task) -> dict[str, Any]:
    run = oneoff_flow.row(task)
    if run is None:
        return oneoff.view(task, None, None)
    sent = run_lookup.shown(run, task, run_inputs.own(run))
    return oneoff.view(task, run, run_view.view(run, task, sent))


def _written(task: Task | None) -> Response[str]:
    if task is None:
        raise not_found("task of that id")
    return responses.versioned(_shown(task))


HANDLERS: Handlers = {
    "POST /v1/tasks": create,
    "POST /v1/tasks/batch": create_batch,
    "GET /v1/tasks/{task_id}": show,
    "POST /v1/tasks/{task_id}/cancel": cancel,
    "POST /v1/tasks/{task_id}/reschedule": reschedule,
}
