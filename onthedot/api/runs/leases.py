"""Serves leases: outside workers fetch runs, extend them, and report their outcomes."""

from __future__ import annotations

from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Body

from onthedot.api.door import responses
from onthedot.api.door.request import queues, tenant
from onthedot.api.door.responses import Handlers
from onthedot.api.requests.lease_shapes import CompleteIn, ErrorIn, FailIn, HeartbeatIn, LeaseIn
from onthedot.api.runs import long_polls
from onthedot.api.views import run_view
from onthedot.records.attributes import checked
from onthedot.records.keys import row_of
from onthedot.records.problems import Fault, Problem, not_found
from onthedot.records.runs.run_status import Reason
from onthedot.records.tasks.kept_versions import Sent
from onthedot.schedule.time.instants import moment
from onthedot.store import clock
from onthedot.targets.attempt_outcome import Again, Answer, Dead, Done, Skipped, error_of
from onthedot.work.outside import lease, lease_answers
from onthedot.work.outside.lease import Leased
from onthedot.work.outside.lease_answers import Told

_LOOK_SEC = 1.0


def take(body: Annotated[LeaseIn, Body()]) -> Response[str]:
    """Lease runs."""
    if queues() and body.queue not in queues():
        named = ", ".join(queues())
        message = f"This key is not for the queue '{body.queue}': expected one of {named}."
        raise Problem("forbidden", message)
    until = clock.monotonic() + body.wait_sec
    taken, waits = _taken(body), True
    if not taken and body.wait_sec >= _LOOK_SEC:
        with long_polls.place(tenant(), body.wait_sec) as waits:
            while waits and not taken and clock.monotonic() + _LOOK_SEC <= until:
                clock.sleep(_LOOK_SEC)
                taken = _taken(body)
    # A worker that could not wait here is told to wait where it is.
    ask_again = None if waits else long_polls.AGAIN_SEC
    shown = [_shown(each) for each in taken]
    return responses.answer({"data": shown, "ask_again_in_sec": ask_again})


def _taken(body: LeaseIn) -> list[Leased]:
    return lease.take(
        body.queue,
        tenant_id=tenant(),
        most=body.max,
        worker=body.worker or "worker",
        lease_sec=body.lease_sec,
    )


def heartbeat(run_id: str, body: Annotated[HeartbeatIn, Body()]) -> Response[str]:
    """Extend a lease."""
    _small(body.progress, "progress")
    kept = lease_answers.extend(
        known(run_id),
        body.attempt,
        tenant_id=tenant(),
        lease_sec=body.lease_sec,
        progress=body.progress,
        queues=queues(),
    )
    if isinstance(kept, Told):
        raise refused(run_id, body.attempt, kept)
    return responses.answer(
        {
            "lease_until": moment(kept.life.lease_ms),
            "cancel_requested": bool(kept.cancel_ms),
        }
    )


def complete(run_id: str, body: Annotated[CompleteIn, Body()]) -> Response[str]:
    """Settle an attempt that did its work, or found nothing to do."""
    done = Done(body.result) if body.skipped is None else Skipped(body.skipped)
    return _settled(run_id, body.attempt, done)


def fail(run_id: str, body: Annotated[FailIn, Body()]) -> Response[str]:
    """Settle an attempt that failed."""
    _small(body.checkpoint, "checkpoint")
    error = _error(body.error)
    answer: Answer = Again(Reason.FAILED, error, body.retry_in_sec, body.checkpoint)
    if body.permanent:
        answer = Dead(Reason.PERMANENT, error)
    elif body.release:
        answer = Again(Reason.RELEASED, error, body.retry_in_sec, body.checkpoint)
    return _settled(run_id, body.attempt, answer)


def _settled(run_id: str, attempt: int, answer: Answer) -> Response[str]:
    told = lease_answers.settle(known(run_id), attempt, answer, tenant_id=tenant(), queues=queues())
    if told is not Told.TAKEN:
        raise refused(run_id, attempt, told)
    return responses.empty()


def _shown(leased: Leased) -> dict[str, Any]:
    """Shows a run with what a worker needs: its deadline, and where to continue."""
    return {
        "run": run_view.view(
            leased.run, leased.task, Sent(leased.call.target, leased.call.payload)
        ),
        "attempt": leased.call.attempt,
        "lease_until": moment(leased.run.life.lease_ms),
        "deadline": moment(leased.call.deadline_ms),
        "checkpoint": leased.call.checkpoint,
    }


def _small(value: object, field: str) -> None:
    """Refuses a value that is too large for the row."""
    try:
        checked(value, f"The {field}")
    except ValueError as fault:
        fault_there = Fault(
            pointer=f"/{field}", code="out_of_range", message=str(fault), field=field
        )
        raise Problem("invalid_field", str(fault), [fault_there]) from None


def _error(said: ErrorIn | str | None) -> dict[str, Any]:
    if isinstance(said, ErrorIn):
        return error_of(said.type, said.message, said.stack)
    return error_of("Error", said or "the worker gave no reason")


def known(run_id: str) -> str:
    """Refuses an id that cannot be a run's."""
    try:
        row_of(run_id)
    except ValueError:
        raise not_found("run of that id") from None
    return run_id


def refused(run_id: str, attempt: int, told: Told) -> Problem:
    if told is Told.MISSING:
        return not_found("run of that id")
    return Problem("lease_lost", f"Attempt {attempt} no longer holds {run_id}.")


HANDLERS: Handlers = {
    "POST /v1/leases": take,
    "POST /v1/runs/{run_id}/heartbeat": heartbeat,
    "POST /v1/runs/{run_id}/complete": complete,
    "POST /v1/runs/{run_id}/fail": fail,
}
