"""Answers outside workers that keep, ask about or settle the runs they fetched."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import replace
from enum import Enum

from onthedot.records.conditional_writes import Outcome
from onthedot.records.runs import pull, run_row, run_writes
from onthedot.records.runs.run_row import Run, leased
from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.tasks import task_spec
from onthedot.records.tasks.task_spec import Task
from onthedot.store import clock, conditional_writer, run_inputs, table_reads
from onthedot.targets.attempt_outcome import (
    Again,
    Answer,
    Dead,
    Done,
    Skipped,
    after_cancel,
    error_of,
)
from onthedot.work.awaited_completion import conclude, give_up_places
from onthedot.work.gates import tenant_quota

_TRIES = 4


class Told(Enum):
    """What became of a worker's request."""

    TAKEN = "taken"
    LOST = "lost"
    MISSING = "missing"


def extended(run: Run, task: Task, lease_sec: int) -> Run:
    """Extends a lease, but not beyond the attempt's own time."""
    deadline_ms = run.life.its_attempt.started_ms + task.timeout_sec * 1000
    lease_ms = max(clock.now_ms() + lease_sec * 1000, run.life.lease_ms)
    return replace(run, life=leased(run.life, min(lease_ms, deadline_ms)))


def extend(
    run_id: str,
    attempt: int,
    *,
    tenant_id: str,
    lease_sec: int,
    progress: object = None,
    queues: Collection[str] = (),
) -> Run | Told:
    """Extends a run's lease. A run that is out of time is over, and its lease is lost."""
    for _ in range(_TRIES):
        run, task = _held(run_id, tenant_id, queues)
        if run is None or task is None:
            return Told.MISSING
        if run.life.starts != attempt or not _under_way(run, task):
            return Told.LOST
        if run.life.status == Status.RUNNING and not pull.pulled(run.queue):
            # Its target took the work on, and our worker has not read that yet: the lease is that
            # worker's.
            return _at_its_longest(run, task)
        now_ms = clock.now_ms()
        if now_ms >= run.life.its_attempt.started_ms + task.timeout_sec * 1000:
            over = Again(Reason.TIMED_OUT, error_of("TimedOut", "the time is over"))
            conclude(run, task, after_cancel(over, run))
            return Told.LOST
        kept = extended(run, task, lease_sec)
        shown = run.life.progress if progress is None else progress
        kept = replace(kept, life=replace(kept.life, progress=shown))
        if not tenant_quota.extend_of(run, kept.life.lease_ms):
            return Told.LOST
        if (
            conditional_writer.write_one(run_writes.mark(run, kept.life, now_ms=now_ms))
            is Outcome.DONE
        ):
            return kept
    return Told.LOST


def settle(
    run_id: str, attempt: int, answer: Answer, *, tenant_id: str, queues: Collection[str] = ()
) -> Told:
    """Writes what a worker, or a called target, reports of its attempt. Twice is like once."""
    for _ in range(_TRIES):
        run, task = _held(run_id, tenant_id, queues)
        if run is None or task is None:
            return Told.MISSING
        if run.life.starts != attempt or not _may_be_told(run, task):
            return Told.LOST
        if run.life.status not in (Status.RUNNING, Status.AWAITING):
            if not _came_of(run, answer):
                return Told.LOST
            # The writer may have died right after that: then the places are still held.
            give_up_places(run)
            return Told.TAKEN
        if conclude(run, task, after_cancel(answer, run)):
            return Told.TAKEN
    return Told.LOST


def standing(run_id: str, attempt: int, *, tenant_id: str, queues: Collection[str] = ()) -> Told:
    """Tells whether an attempt that is not ours to work is still under way."""
    run, task = _held(run_id, tenant_id, queues)
    if run is None or task is None:
        return Told.MISSING
    stands = run.life.starts == attempt and _under_way(run, task)
    return Told.TAKEN if stands else Told.LOST


def _under_way(run: Run, task: Task) -> bool:
    """Tells whether an outside worker or target works on it."""
    return run.life.status in (Status.RUNNING, Status.AWAITING) and _may_be_told(run, task)


def _at_its_longest(run: Run, task: Task) -> Run:
    deadline_ms = run.life.its_attempt.started_ms + task.timeout_sec * 1000
    return replace(run, life=leased(run.life, deadline_ms))


def _may_be_told(run: Run, task: Task) -> bool:
    """Tells whether the outside may settle it. A worker of ours settles its own runs itself."""
    fetched = pull.pulled(run.queue)
    return (
        fetched or run.life.status == Status.AWAITING or task.target.get("complete") == "callback"
    )


def _came_of(run: Run, answer: Answer) -> bool:
    """Tells whether this report ended the attempt: its answer was lost, and it is repeated.

    Any other report on an attempt that is over is refused, or its caller would trust it.
    """
    life = run.life
    match answer:
        case Done():
            return life.status == Status.SUCCEEDED
        case Skipped():
            return life.status == Status.SKIPPED
        case Dead(reason):
            return (life.status, life.reason) == (Status.DEAD, reason)
        case Again():
            # It was asked to stop. It reports a failure, so it has stopped.
            given_up = life.reason == Reason.ATTEMPTS_EXHAUSTED and not answer.released
            return given_up or life.status == Status.CANCELLED or life.reason == answer.outcome
    return False


def _held(run_id: str, tenant_id: str, queues: Collection[str]) -> tuple[Run | None, Task | None]:
    row = run_row.row_key(run_id)
    keys = {run_row.TABLE: [row], task_spec.TABLE: [task_spec.spec_key(row["task_id"])]}
    found = table_reads.get_many(keys)
    run = next((run_row.readable(item) for item in found[run_row.TABLE]), None)
    if run is None or run.tenant_id != tenant_id or not pull.within(run.queue, queues):
        return None, None
    task = next((task_spec.parse(item) for item in found[task_spec.TABLE]), None)
    return run, run_inputs.aimed(run, task) if task else None
