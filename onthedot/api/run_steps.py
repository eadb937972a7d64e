"""What outside workers keep of a run's steps, and what they ask of the runs before it."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from onthedot.api import answers, run_found
from onthedot.api.answers import Handlers
from onthedot.api.asking import queues, tenant
from onthedot.api.leases import known, refused
from onthedot.api.shapes_lease import OnceIn
from onthedot.core import pull
from onthedot.core.problems import Fault, Problem, not_found
from onthedot.flows import holding
from onthedot.flows import once as steps
from onthedot.flows.holding import Told
from onthedot.flows.once import Kept
from onthedot.flows.previous import previous_success


def once(run_id: str, body: Annotated[OnceIn, Body()]) -> Response[str]:
    """Look a step's record up; with `value`, record the step unless it is.

    The first value that is recorded is what every attempt is answered.
    """
    told = holding.standing(known(run_id), body.attempt, tenant_id=tenant(), queues=queues())
    if told is not Told.TAKEN:
        raise refused(run_id, body.attempt, told)
    had = "value" in body.model_fields_set
    kept = _recorded(run_id, body) if had else steps.recorded(run_id, body.key)
    return answers.answer({"recorded": kept is not None, "value": kept.value if kept else None})


def _recorded(run_id: str, body: OnceIn) -> Kept:
    try:
        return steps.record(run_id, body.key, body.value)
    except ValueError as fault:
        there = Fault(pointer="/value", code="out_of_range", message=str(fault), field="value")
        raise Problem("invalid_field", str(fault), [there]) from None


def previous(run_id: str) -> Response[str]:
    """Tell when the run's task last succeeded before it."""
    found = run_found.find(run_id).run
    if not pull.within(found.queue, queues()):
        raise not_found("run of that id")
    return answers.answer({"previous_success": previous_success(found.run_id)})


HANDLERS: Handlers = {
    "POST /v1/runs/{run_id}/once": once,
    "GET /v1/runs/{run_id}/previous-success": previous,
}
