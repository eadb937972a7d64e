"""Runs one by one: shown, cancelled, run again."""

from __future__ import annotations

from dataclasses import replace
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from onthedot.api import answers, plans, reach
from onthedot.api.answers import Handlers
from onthedot.api.asking import asked, by, own_moment
from onthedot.api.plans import DryRun, PlanToken
from onthedot.api.run_found import Found, find
from onthedot.api.shapes_runs import ReplayIn
from onthedot.core.keys import moment_key
from onthedot.core.problems import Problem, not_found
from onthedot.core.run import Run
from onthedot.core.task import ENDED
from onthedot.flows import cancel as cancelling
from onthedot.flows import define, replay
from onthedot.flows.replay import Wish


def show(run_id: str) -> Response[str]:
    """Show one run with all of its attempts."""
    return answers.answer(find(run_id).waiting().view())


def cancel(run_id: str, dry_run: DryRun = "false", plan_token: PlanToken = None) -> Response[str]:
    """Cancel a run: at once while it has not started, by request while it runs."""
    found = find(run_id)
    if found.run.final:
        raise _finished(found.run)
    effects = {"action": "cancel", "run_id": run_id, "status": found.run.life.status}
    if planned := plans.first(dry_run, plan_token, effects, _world(found.run)):
        return planned
    seen = cancelling.cancel(run_id, by=asked().by.key_id)
    if seen is None:
        raise not_found("run of that id")
    if seen.final and seen.life.status != "cancelled":
        raise _finished(seen)
    define.tell(by(), "run.cancelled", run_id)
    return answers.answer(replace(found, run=seen).view(), 200 if seen.final else 202)


def again(
    run_id: str,
    body: Annotated[ReplayIn | None, Body()] = None,
    dry_run: DryRun = "false",
    plan_token: PlanToken = None,
) -> Response[str]:
    """Run it again as a new run, with its payload, a part of it changed, or another one."""
    found = find(run_id)
    _check_replayable(found)
    reach.check(found.task.target)
    given = body or ReplayIn()
    payload = given.payload
    if payload is None and (given.payload_patch is not None or found.run.payload_ref):
        payload = replay.patched(found.payload, given.payload_patch)
    effects = {"action": "replay", "run_id": run_id, "replayed_as": found.run.replayed_as or None}
    if planned := plans.first(dry_run, plan_token, effects, _world(found.run)):
        return planned
    # Every try of a request begins the same run.
    key = _own_key() if asked().once else ""
    wish = Wish(by=asked().by.key_id, payload=payload, key=key)
    begun = replay.again(found.run, found.task, wish)
    define.tell(by(), "run.replayed", run_id)
    shown = Found(begun, found.task, found.payload if payload is None else payload).view()
    return answers.answer(shown, 201, {"Location": f"/v1/runs/{begun.run_id}"})


def _world(run: Run) -> list[object]:
    return [run.life.status, run.life.attempt, run.replayed_as]


def _own_key() -> str:
    begun_ms, token = own_moment()
    return moment_key(begun_ms, "r", token)


def _check_replayable(found: Found) -> None:
    run = found.run
    if not run.final:
        message = f"It is still {run.life.status}: expected a run that has ended; cancel it first."
        raise Problem("not_dead", message)
    if run.purged_ms or run.is_range:
        what = "Its payload was purged" if run.purged_ms else "It stands for many slots"
        raise Problem("not_dead", f"{what}: trigger its schedule, or start a backfill.")
    if found.task.status in ENDED:
        raise not_found("schedule or task of that run any more")


def _finished(run: Run) -> Problem:
    return Problem("already_finished", f"It has ended already: it is {run.life.status}.")


HANDLERS: Handlers = {
    "GET /v1/runs/{run_id}": show,
    "POST /v1/runs/{run_id}/cancel": cancel,
    "POST /v1/runs/{run_id}/replay": again,
}
