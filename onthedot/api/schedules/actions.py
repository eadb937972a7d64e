"""Serves the actions on a schedule that change no field: pause, resume, trigger."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from onthedot.api.door import preconditions, query_times, responses
from onthedot.api.door.preconditions import DryRun, PlanToken, check_task
from onthedot.api.door.request import by, own_moment, tried_before
from onthedot.api.door.responses import Handlers
from onthedot.api.requests.action_shapes import PauseIn, ResumeIn, TriggerIn
from onthedot.api.schedules import rules, schedule_writes
from onthedot.api.schedules.schedule_lookup import find, missing
from onthedot.api.views import run_view, schedule_view
from onthedot.launch import resume_catchup, trigger
from onthedot.launch.catchup_flow import before_resume
from onthedot.launch.trigger import Moment
from onthedot.records.tasks.kept_versions import Sent
from onthedot.registry import lifecycle, schedule_actions
from onthedot.registry.edit import Edited
from onthedot.schedule.time.instants import measured
from onthedot.store import clock


def pause(
    schedule: str,
    body: Annotated[PauseIn | None, Body()] = None,
    dry_run: DryRun = "false",
    plan_token: PlanToken = None,
) -> Response[str]:
    """Pause a schedule: no run of it starts, started runs go on. A second pause is harmless."""
    seen = find(schedule)
    task = seen.task
    reason = body.reason if body else None
    until = _end(body.until if body else None)
    if dry_run == "true":
        effects = {
            "action": "pause",
            "until": until and measured(until),
            **schedule_view.coming(task, clock.now_ms() // 1000, seen.due),
        }
        return preconditions.plan(effects, task.version)
    preconditions.check(plan_token, task.version)
    return _written(
        schedule_actions.pause(
            task.task_id, by(), reason=reason, until=until, check=check_task, known=seen
        )
    )


def resume(
    schedule: str,
    body: Annotated[ResumeIn | None, Body()] = None,
    dry_run: DryRun = "false",
    plan_token: PlanToken = None,
) -> Response[str]:
    """Resume a schedule from now on. With `catchup`, slots that passed run too, after a plan."""
    seen = find(schedule)
    mode = (body.catchup if body else None) or "none"
    # An earlier try may have resumed it, and died before it ran what had passed.
    resumed_before = tried_before() and seen.task.status == "active"
    task = before_resume(seen.task) if resumed_before else seen.task
    now_ms = clock.now_ms()
    now = now_ms // 1000
    world = [task.version, mode]
    preconditions.check(plan_token, world)
    # A plan is carried out as it was shown. What has passed since is not part of it.
    planned_ms = preconditions.planned_ms(plan_token)
    planned = now if planned_ms is None else planned_ms // 1000
    slots = resume_catchup.slots(task, mode, planned)
    if dry_run == "true" or (slots and plan_token is None):
        following = schedule_view.coming(lifecycle.resumed(task, now), now, seen.due)["next_run_at"]
        return preconditions.plan(resume_catchup.effects(task, slots, following), world, now_ms)
    return _written(
        schedule_actions.resume(task.task_id, by(), slots, check=check_task, known=seen)
    )


def start(
    schedule: str,
    body: Annotated[TriggerIn | None, Body()] = None,
    dry_run: DryRun = "false",
    plan_token: PlanToken = None,
) -> Response[str]:
    """Run it once, now or at `due_at`, even if it is paused."""
    seen = find(schedule)
    task = seen.task
    payload = body.payload if body else None
    rules.check_payload(payload)
    rules.check_reach(task.target)
    due = query_times.in_body(body.due_at if body else None, "due_at", not_before=True)
    effects = {"action": "trigger", "task_id": task.task_id, "due_at": due and measured(due)}
    if planned := preconditions.first(dry_run, plan_token, effects, task.version):
        return planned
    begun_ms, token = own_moment()
    run = trigger.trigger(
        task.task_id,
        payload=payload,
        moment=Moment(begun_ms, token, 0 if due is None else due * 1000, again=tried_before()),
        known=seen,
    )
    if run is None:
        raise missing()
    schedule_actions.tell(by(), "schedule.triggered", run.run_id)
    given = Sent(task.target, task.payload if payload is None else payload)
    shown = run_view.view(run, task, given)
    return responses.answer(shown, 202, {"Location": f"/v1/runs/{run.run_id}"})


def _end(text: str | None) -> int | None:
    until = query_times.in_body(text, "until", not_before=True)
    if until is not None and until <= clock.now_ms() // 1000:
        message = f"'{text}' is in the past: expected a later time, or none."
        raise query_times.refused_in_body("until", message)
    return until


def _written(edited: Edited | None) -> Response[str]:
    if edited is None:
        raise missing()
    return responses.versioned(schedule_writes.after(edited))


HANDLERS: Handlers = {
    "POST /v1/schedules/{schedule}/pause": pause,
    "POST /v1/schedules/{schedule}/resume": resume,
    "POST /v1/schedules/{schedule}/trigger": start,
}
