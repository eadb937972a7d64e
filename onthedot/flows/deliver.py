"""Deliver: a run's target is called, and whatever comes of it is a value."""

from __future__ import annotations

from collections.abc import Callable

from onthedot.adapters import clock, runner, tables
from onthedot.adapters.targets import python, recording
from onthedot.core import run as runs
from onthedot.core.call import Call
from onthedot.core.keys import is_slot_key
from onthedot.core.numbers import DELIVER_MIN_SEC
from onthedot.core.policy import Answer, Dead, error_of
from onthedot.core.run import Run
from onthedot.core.task import Task
from onthedot.flows.job import Job

_TYPES: dict[str, Callable[[Call], Answer]] = {
    "python": python.call,
    "recording": recording.call,
}


def deliver(call: Call) -> Answer:
    """Call the target by its type."""
    call_target = _TYPES.get(call.target["type"])
    if call_target is None:
        return Dead("permanent", error_of("UnknownTarget", f"no target {call.target['type']}"))
    return call_target(call)


def begin(job: Job) -> bool:
    """Call the target beside this loop, unless so little of the lease is left that it may end."""
    run, task = job.held, job.task
    if task is None or clock.now_ms() > run.life.lease_ms - DELIVER_MIN_SEC * 1000:
        return False
    call = Call(
        run_id=run.run_id,
        attempt=run.life.attempt,
        max_attempts=task.max_attempts,
        scheduled_for=run.key if is_slot_key(run.key) else run.slot or None,
        due_ms=run.life.due_ms,
        deadline_ms=run.life.started_ms + task.timeout_sec * 1000,
        target=task.target,
        payload=_payload(run, task),
        cancelled=lambda: bool(job.held.cancel_ms),
    )
    job.part = runner.submit(lambda: deliver(call))
    return True


def _payload(run: Run, task: Task) -> object:
    """A run may have a payload of its own in place of its task's."""
    if not run.payload_ref:
        return task.payload
    key = {"task_id": run.task_id, "scheduled_for": run.payload_ref}
    item = tables.get(runs.TABLE, key)
    return item["payload"] if item else task.payload
