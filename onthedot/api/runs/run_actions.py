"""Serves single runs: shown, cancelled, replayed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from onthedot.api.door import preconditions, responses
from onthedot.api.door.preconditions import DryRun, PlanToken
from onthedot.api.door.request import asked, by, own_moment
from onthedot.api.door.responses import Handlers
from onthedot.api.requests.run_shapes import ReplayIn, UseIn
from onthedot.api.runs.run_lookup import Found, find
from onthedot.api.schedules import rules
from onthedot.launch import replay
from onthedot.launch.replay import Wish
from onthedot.records.keys import moment_key
from onthedot.records.problems import Problem, not_found
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Status
from onthedot.records.tasks.kept_versions import Sent
from onthedot.records.tasks.task_spec import ENDED
from onthedot.registry import run_cancel, schedule_actions
from onthedot.store.payloads import at_hand


def show(run_id: str) -> Response[str]:
    """Show one run with all of its attempts."""
    return responses.answer(find(run_id).waiting().view())


def cancel(run_id: str, dry_run: DryRun = "false", plan_token: PlanToken = None) -> Response[str]:
    """Cancel a run at once if it has not started; ask it to stop if it runs."""
    found = find(run_id)
    if found.run.final:
        raise _finished(found.run)
    effects = {"action": "cancel", "run_id": run_id, "status": found.run.life.status.value}
    if planned := preconditions.first(dry_run, plan_token, effects, _world(found.run)):
        return planned
    seen = run_cancel.cancel(run_id, by=asked().by.key_id)
    if seen is None:
        raise not_found("run of that id")
    if seen.final and seen.life.status != Status.CANCELLED:
        raise _finished(seen)
    schedule_actions.tell(by(), "run.cancelled", run_id)
    return responses.answer(replace(found, run=seen).view(), 200 if seen.final else 202)


def again(
    run_id: str,
    body: Annotated[ReplayIn | None, Body()] = None,
    dry_run: DryRun = "false",
    plan_token: PlanToken = None,
) -> Response[str]:
    """Run it again as a new run: with its payload, a patch of it, or another payload."""
    found = find(run_id)
    _check_replayable(found)
    wish = _wish(body or ReplayIn())
    given = replay.chosen(found.run, found.task, wish)
    if given is None:
        message = "The payload that was sent is gone: give another, or use the current one."
        raise Problem("not_dead", message)
    target = given.target or found.task.target
    rules.check_target(target, found.task.timeout_sec)
    effects = _effects(found.run, wish, target)
    world = [*_world(found.run), found.task.version]
    if planned := preconditions.first(dry_run, plan_token, effects, world):
        return planned
    begun = replay.again(found.run, found.task, wish, given)
    schedule_actions.tell(by(), "run.replayed", run_id)
    payload = at_hand(found.task.payload) if given.payload is None else given.payload
    shown = Found(begun, found.task, Sent(target, payload)).view()
    return responses.answer(shown, 201, {"Location": f"/v1/runs/{begun.run_id}"})


def _wish(given: ReplayIn) -> Wish:
    # Every try of a request begins the same run.
    return Wish(
        by=asked().by.key_id,
        use=(given.use or UseIn()).use(),
        payload=given.payload,
        patch=given.payload_patch,
        key=_own_key() if asked().once else "",
    )


def _effects(old: Run, wish: Wish, target: Mapping[str, Any]) -> dict[str, Any]:
    return {
        "action": "replay",
        "run_id": old.run_id,
        "replayed_as": old.replayed_as or None,
        "use": wish.use.as_json(),
        "target": target,
    }


def _world(run: Run) -> list[object]:
    return [run.life.status.value, run.life.starts, run.replayed_as]


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
        raise not_found("schedule or task of that run")


def _finished(run: Run) -> Problem:
    return Problem("already_finished", f"It has ended already: it is {run.life.status}.")


HANDLERS: Handlers = {
    "GET /v1/runs/{run_id}": show,
    "POST /v1/runs/{run_id}/cancel": cancel,
    "POST /v1/runs/{run_id}/replay": again,
}
