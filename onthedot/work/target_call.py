"""Calls a run's target. Whatever comes of it is a value."""

from __future__ import annotations

import logging
from dataclasses import replace
from typing import Any

from botocore.exceptions import ClientError

from onthedot.records.access import tenant_reach
from onthedot.records.keys import is_slot_key
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason
from onthedot.records.tasks.payloads import Away
from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import DELIVER_MIN_SEC
from onthedot.store import aws, clock, run_inputs
from onthedot.store.payloads import at_hand
from onthedot.targets import templates
from onthedot.targets.attempt_outcome import (
    Again,
    Answer,
    Dead,
    Stopped,
    delivers,
    error_of,
    words_of,
)
from onthedot.targets.aws import refusals
from onthedot.targets.call import Call, run_fields
from onthedot.targets.python import trace
from onthedot.targets.templates import Room
from onthedot.work import handler_pool
from onthedot.work.job import Job
from onthedot.work.target_table import TARGETS

_log = logging.getLogger(__name__)


def deliver(call: Call) -> Answer:
    """Calls the target by its type. What it raises ends the attempt, and nothing else."""
    target = TARGETS.get(call.target["type"])
    if target is None:
        return Dead(Reason.PERMANENT, error_of("UnknownTarget", f"no target {call.target['type']}"))
    try:
        whole = complete(call)
        if isinstance(whole, Dead):
            return whole
        # A run that is cancelled by now is not called any more.
        if call.exchange.broken_off:
            return Stopped()
        call.called()
        return target(whole)
    except templates.Unfit as unfit:
        return _unfit(unfit)
    except Exception as failure:  # noqa: BLE001 the one place where anything becomes an outcome
        return Again(Reason.FAILED, _error_of(call, failure))


def _error_of(call: Call, failure: Exception) -> dict[str, Any]:
    """Shows what is the tenant's own. The rest is for the operator, and goes to the log."""
    words, stack = words_of(failure), trace.shown(failure)
    if isinstance(failure, ClientError):
        words, stack = refusals.discreet(words), refusals.discreet(stack)
    if not stack or isinstance(failure, ClientError):
        _log.warning("run %s failed", call.run_id, exc_info=failure)
    return error_of(type(failure).__name__, words, stack)


def begin(job: Job) -> bool:
    """Calls the target in a thread. False: so little of its lease is left that it may end."""
    if job.task is None or _too_late(job):
        return False
    if job.task.target["type"] == "pull":
        # The outside worker that has fetched it is its target, and reports by the API.
        return True
    if forbidden := _forbidden(job, job.task):
        job.answer = forbidden
        return True
    call = call_of(job, job.held, job.task)
    # A payload of its own was read from the store, which may have taken long.
    if _too_late(job):
        return False
    # When it is settled, its task may have another target.
    job.delivers = delivers(call.target)
    job.part = handler_pool.submit(lambda: deliver(call))
    return True


def _too_late(job: Job) -> bool:
    return clock.now_ms() > job.held.life.lease_ms - DELIVER_MIN_SEC * 1000


def _forbidden(job: Job, task: Task) -> Answer | None:
    """Returns a refusal if its tenant's limits now forbid the target that was registered."""
    if job.targets is None:
        return None
    thing = tenant_reach.beyond(task.target, job.targets, aws.home())
    if thing is None:
        return None
    message = tenant_reach.sentence(job.held.tenant_id, thing)
    return Dead(Reason.TARGET_FORBIDDEN, error_of("TargetForbidden", message))


def call_of(job: Job, run: Run, task: Task) -> Call:
    """Returns the call of the run. `complete` puts the run's fields into its payload."""
    return Call(
        run_id=run.run_id,
        task_id=run.task_id,
        tenant_id=run.tenant_id,
        name=task.name,
        origin=run.origin,
        attempt=run.life.starts,
        max_attempts=task.max_attempts,
        scheduled_for=run.key if is_slot_key(run.key) else run.slot or None,
        due_ms=run.life.due_ms,
        deadline_ms=job.deadline_ms,
        target=task.target,
        payload=_payload(run, task),
        checkpoint=run.life.checkpoint,
        cancelled=lambda: bool(job.held.cancel_ms),
        # The lease is ours only if it was extended. A stall counts as a loss, too.
        lease_lost=lambda: job.lost or clock.now_ms() >= job.held.life.lease_ms,
        called=lambda: setattr(job, "called_ms", clock.now_ms()),
        report=lambda progress: setattr(job, "progress", progress),
        exchange=job.exchange,
    )


def complete(call: Call) -> Call | Dead:
    """Fetches a payload that lies elsewhere and fills it in, in the call's own thread."""
    away = isinstance(call.payload, Away)
    payload = at_hand(call.payload) if away else call.payload
    if away and payload is None:
        return Dead(Reason.PAYLOAD_UNREADABLE, error_of("PayloadGone", "its object is gone"))
    room = Room(call.room)
    try:
        payload = templates.rendered(payload, run_fields(call), room)
    except templates.Unfit as unfit:
        return _unfit(unfit)
    return replace(call, payload=payload, room=room.left)


def _unfit(unfit: templates.Unfit) -> Dead:
    """Ends the run: every attempt would fail in the same way."""
    return Dead(Reason.PERMANENT, error_of(unfit.kind, str(unfit)))


def _payload(run: Run, task: Task) -> object:
    """Returns the run's own payload, or its task's."""
    payload = run_inputs.own(run).payload if run.payload_ref else None
    return task.payload if payload is None else payload
