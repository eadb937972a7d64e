"""Serves backfills of a schedule: planned, begun, followed, stopped."""

from __future__ import annotations

from hashlib import sha256
from itertools import islice
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from onthedot.api.door import operation_pages, preconditions, responses
from onthedot.api.door.pages import Cursor, Limit
from onthedot.api.door.preconditions import DryRun, PlanToken
from onthedot.api.door.query_times import in_body
from onthedot.api.door.request import by
from onthedot.api.door.responses import Handlers
from onthedot.api.requests.run_shapes import BackfillIn
from onthedot.api.schedules import rules
from onthedot.api.schedules.schedule_lookup import find
from onthedot.api.views import bulk_operation
from onthedot.launch import backfill, backfill_flow
from onthedot.launch.backfill import Backfill
from onthedot.records.problems import Fault, Problem, not_found
from onthedot.records.runs import overlap_gate
from onthedot.records.tasks.bulk_operation import Loop
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import schedule_actions
from onthedot.schedule.time.instants import nominal
from onthedot.store import clock

SLOTS_MAX = 10_000
_KIND = "backfill"


def begin(
    schedule: str,
    body: Annotated[BackfillIn, Body()],
    dry_run: DryRun = "false",
    plan_token: PlanToken = None,
) -> Response[str]:
    """Run past slots again. The first request gives a plan; send its token to carry it out."""
    task = find(schedule).task
    name = operation_pages.named("bkf")
    if before := operation_pages.begun_before(_KIND, name):
        return _begun(task, before)
    rules.check_reach(task.target)
    wanted = _wanted(task, body)
    slots = backfill_flow.plan(task, wanted, SLOTS_MAX)
    world = [task.schedule_version, sha256(repr(slots).encode()).hexdigest()]
    if dry_run == "true" or plan_token is None:
        return preconditions.plan(_effects(task, wanted, slots, body.rate_per_min), world)
    preconditions.check(plan_token, world)
    begun = backfill.loop(wanted, name, per_minute=body.rate_per_min)
    operation_pages.begin(begun)
    schedule_actions.tell(by(), "backfill.started", begun.loop_id)
    return _begun(task, begun)


def index(schedule: str, limit: Limit = 50, cursor: Cursor = None) -> Response[str]:
    """List the backfills of a schedule, newest first."""
    task = find(schedule).task
    return operation_pages.index(_KIND, bulk_operation.backfill, (limit, cursor), task.task_id)


def show(schedule: str, backfill_id: str) -> Response[str]:
    """Show how far a backfill is."""
    return responses.answer(bulk_operation.backfill(_found(schedule, backfill_id)))


def cancel(
    schedule: str, backfill_id: str, dry_run: DryRun = "false", plan_token: PlanToken = None
) -> Response[str]:
    """Stop a backfill: it starts no more runs, started runs go on."""
    found = _found(schedule, backfill_id)
    effects = {"action": "cancel", "backfill": bulk_operation.backfill(found)}
    operation_pages.refuse_ended(found)
    if planned := preconditions.first(dry_run, plan_token, effects, found.status):
        return planned
    stopped = operation_pages.stop(_KIND, backfill_id)
    schedule_actions.tell(by(), "backfill.cancelled", backfill_id)
    return responses.answer(bulk_operation.backfill(stopped))


def _begun(task: Task, begun: Loop) -> Response[str]:
    where = f"/v1/schedules/{task.task_id}/backfills/{begun.loop_id}"
    return responses.answer(bulk_operation.backfill(begun), 202, {"Location": where})


def _found(schedule: str, backfill_id: str) -> Loop:
    task = find(schedule).task
    found = operation_pages.find(_KIND, backfill_id)
    if found.wanted["task_id"] != task.task_id:
        raise not_found("backfill of that id")
    return found


def _wanted(task: Task, body: BackfillIn) -> Backfill:
    first, last = in_body(body.from_, "from", not_before=True), in_body(body.to, "to")
    if first is None or last is None or last < first:
        raise _refused("to is before from: expected it at from or later.")
    if last > clock.now_ms() // 1000:
        raise _refused("to is in the future, which the schedule runs by itself: expected now.")
    wanted = Backfill(task_id=task.task_id, first=first, last=last, only_missing=body.only_missing)
    if next(islice(wanted.slots(task.schedule, first), SLOTS_MAX, None), None) is not None:
        message = f"There are more than {SLOTS_MAX} slots in it: expected a shorter range."
        raise _refused(message)
    return wanted


def _refused(message: str) -> Problem:
    fault = Fault(pointer="/to", code="out_of_range", message=message, field="to")
    return Problem("invalid_field", message, [fault])


def _effects(task: Task, wanted: Backfill, slots: list[int], rate: int) -> dict[str, Any]:
    return {
        "action": "backfill",
        "task_id": task.task_id,
        "from": nominal(wanted.first),
        "to": nominal(wanted.last),
        "runs": len(slots),
        "first_slot": nominal(slots[0]) if slots else None,
        "last_slot": nominal(slots[-1]) if slots else None,
        "rate_per_min": rate,
        # One after another they may well take longer.
        "one_by_one": overlap_gate.guarded(task),
        "minutes_at_least": -(-len(slots) // rate),
    }


HANDLERS: Handlers = {
    "POST /v1/schedules/{schedule}/backfills": begin,
    "GET /v1/schedules/{schedule}/backfills": index,
    "GET /v1/schedules/{schedule}/backfills/{backfill_id}": show,
    "POST /v1/schedules/{schedule}/backfills/{backfill_id}/cancel": cancel,
}
