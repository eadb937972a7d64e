"""Serves outside workers' records of a run's steps, and the previous success before a run."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from onthedot.api.door import responses
from onthedot.api.door.request import queues, tenant
from onthedot.api.door.responses import Handlers
from onthedot.api.requests.lease_shapes import OnceIn
from onthedot.api.runs import run_lookup
from onthedot.api.runs.leases import known, refused
from onthedot.records.problems import Fault, Problem, not_found
from onthedot.records.runs import pull
from onthedot.targets.python import step_effects
from onthedot.targets.python.previous_success import previous_success
from onthedot.targets.python.step_effects import Kept
from onthedot.work.outside import lease_answers
from onthedot.work.outside.lease_answers import Told


def once(run_id: str, body: Annotated[OnceIn, Body()]) -> Response[str]:
    """Look up the record of a step; with `value`, record the step if it has none.

    Every attempt gets the value that was recorded first.
    """
    told = lease_answers.standing(known(run_id), body.attempt, tenant_id=tenant(), queues=queues())
    if told is not Told.TAKEN:
        raise refused(run_id, body.attempt, told)
    had = "value" in body.model_fields_set
    kept = _recorded(run_id, body) if had else step_effects.recorded(run_id, body.key)
    return responses.answer({"recorded": kept is not None, "value": kept.value if kept else None})


def _recorded(run_id: str, body: OnceIn) -> Kept:
    try:
        return step_effects.record(run_id, body.key, body.value)
    except ValueError as fault:
        there = Fault(pointer="/value", code="out_of_range", message=str(fault), field="value")
        raise Problem("invalid_field", str(fault), [there]) from None


def previous(run_id: str) -> Response[str]:
    """Tell when the run's task last succeeded before it."""
    found = run_lookup.find(run_id).run
    if not pull.within(found.queue, queues()):
        raise not_found("run of that id")
    return responses.answer({"previous_success": previous_success(found.run_id)})


HANDLERS: Handlers = {
    "POST /v1/runs/{run_id}/once": once,
    "GET /v1/runs/{run_id}/previous-success": previous,
}
