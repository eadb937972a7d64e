"""Lease: outside workers fetch runs, keep them, and say what came of them.

A fetched run passes the same table, gate and conditional start as any other.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from onthedot.adapters import claims, clock, ids, pulls, tables
from onthedot.core import moves, pull
from onthedot.core import run as runs
from onthedot.core import task as tasks
from onthedot.core.call import Call
from onthedot.core.decide import Hint
from onthedot.core.keys import run_id as run_id_of
from onthedot.core.numbers import MARGIN_SEC
from onthedot.core.pack import Ticket
from onthedot.core.policy import Again, Answer, Dead, Done, Stopped, error_of
from onthedot.core.run import Run
from onthedot.core.task import Task
from onthedot.core.writes import Outcome
from onthedot.flows import deliver, permits
from onthedot.flows.awaiting import conclude
from onthedot.flows.batch import Batch
from onthedot.flows.job import Job
from onthedot.flows.starting import start_due

_TRIES = 4
# Some of what the index shows has been taken, or waits at a gate: further down there may be more.
_LOOK_AT = (30, 120, 480)


class Told(Enum):
    """What became of a worker's word."""

    TAKEN = "taken"
    LOST = "lost"
    MISSING = "missing"


@dataclass(frozen=True, slots=True)
class Leased:
    """A run that now is a worker's, its task, and what the worker is told."""

    run: Run
    task: Task
    call: Call


def take(queue: str, *, tenant_id: str, most: int, worker: str, lease_sec: int) -> list[Leased]:
    """Start up to so many runs for a worker; what others hold or wait for is left alone."""
    now_ms = clock.now_ms()
    # A lease is over for others only when no clock can show it running any more.
    *due, leased = pull.ranges(now_ms)
    over = (leased[0], pull.ranges(now_ms - MARGIN_SEC * 1000)[-1][1])
    owner = f"{worker}/{ids.token()}"
    taken: list[Leased] = []
    seen: set[str] = set()
    for limit in _LOOK_AT:
        keys = pulls.due(pull.partition(tenant_id, queue), (*due, over), limit)
        fresh = [run_id for run_id in map(_run_id, keys) if run_id not in seen]
        seen.update(fresh)
        while fresh and len(taken) < most:
            room = most - len(taken)
            some, fresh = fresh[:room], fresh[room:]
            begun, bounded = _started(some, owner, lease_sec)
            taken += begun
            if bounded and not begun and permits.all_taken(tenant_id):
                return taken
        if len(taken) == most or len(keys) < limit:
            break
    return taken


def _started(run_ids: Sequence[str], owner: str, lease_sec: int) -> tuple[list[Leased], bool]:
    """Give those that now are the worker's, and whether their tenant has a quota."""
    found = tables.get_many({runs.TABLE: [runs.row_key(run_id) for run_id in run_ids]})[runs.TABLE]
    rows = {run.run_id: run for item in found if (run := runs.readable(item))}
    # In the index's order: a batch of rows has none.
    jobs = [_job(rows[run_id], owner) for run_id in run_ids if run_id in rows]
    started, _ = start_due(Batch(queue="normal", messages=[]), jobs, worker=owner)
    leased = [_leased(job, lease_sec) for job in started]
    return [each for each in leased if each], any(job.most for job in jobs)


def _run_id(item: Mapping[str, Any]) -> str:
    return run_id_of(item["task_id"], item["scheduled_for"])


def _job(run: Run, owner: str) -> Job:
    attempt = run.life.attempt + 1
    return Job(
        ticket=Ticket(run.run_id, attempt, run.life.tv),
        hint=Hint(attempt=attempt, receives=1, message_id=owner),
        tenant_id=run.tenant_id,
    )


def _leased(job: Job, lease_sec: int) -> Leased | None:
    """The start's own lease is short; a refused longer one leaves it as it is."""
    if job.task is None:
        raise LookupError(f"{job.ticket.run_id} has no task")
    longer = _extended(job.held, job.task, lease_sec)
    write = moves.mark(job.held, longer.life, now_ms=clock.now_ms())
    kept = permits.extend_of(job.held, longer.life.lease_ms)
    if kept and claims.write_one(write) is Outcome.DONE:
        job.run = longer
    call = deliver.complete(deliver.call_of(job, job.held, job.task))
    if call is None:
        gone = Dead("payload_unreadable", error_of("PayloadGone", "its object is gone"))
        conclude(job.held, job.task, gone)
        return None
    return Leased(job.held, job.task, call)


def _extended(run: Run, task: Task, lease_sec: int) -> Run:
    """No lease reaches beyond the attempt's own time."""
    deadline_ms = run.life.started_ms + task.timeout_sec * 1000
    lease_ms = min(clock.now_ms() + lease_sec * 1000, deadline_ms)
    return replace(run, life=replace(run.life, lease_ms=max(lease_ms, run.life.lease_ms)))


def extend(
    run_id: str, attempt: int, *, tenant_id: str, lease_sec: int, progress: object = None
) -> Run | Told:
    """Keep a run for another while; one that is out of time is over, and its lease is lost."""
    for _ in range(_TRIES):
        run, task = _held(run_id, tenant_id)
        if run is None or task is None:
            return Told.MISSING
        if run.life.status != "running" or run.life.attempt != attempt:
            return Told.LOST
        now_ms = clock.now_ms()
        if now_ms >= run.life.started_ms + task.timeout_sec * 1000:
            conclude(run, task, Again("timed_out", error_of("TimedOut", "the time is over")))
            return Told.LOST
        kept = _extended(run, task, lease_sec)
        shown = run.life.progress if progress is None else progress
        kept = replace(kept, life=replace(kept.life, progress=shown))
        if not permits.extend_of(run, kept.life.lease_ms):
            return Told.LOST
        if claims.write_one(moves.mark(run, kept.life, now_ms=now_ms)) is Outcome.DONE:
            return kept
    return Told.LOST


def settle(run_id: str, attempt: int, answer: Answer, *, tenant_id: str) -> Told:
    """Write what a worker, or a target that was called, says of its attempt; twice is once."""
    for _ in range(_TRIES):
        run, task = _held(run_id, tenant_id)
        if run is None or task is None:
            return Told.MISSING
        if run.life.attempt != attempt or not _may_be_told(run, task):
            return Told.LOST
        if run.life.status not in ("running", "awaiting"):
            # The same word again, whose answer was lost; or somebody else's came first.
            same = (run.life.status == "succeeded") == isinstance(answer, Done)
            return Told.TAKEN if same else Told.LOST
        if conclude(run, task, _heeding(run, answer)):
            return Told.TAKEN
    return Told.LOST


def standing(run_id: str, attempt: int, *, tenant_id: str) -> Told:
    """Tell whether an attempt that is not ours to work is under way still."""
    run, task = _held(run_id, tenant_id)
    if run is None or task is None:
        return Told.MISSING
    under_way = run.life.attempt == attempt and run.life.status in ("running", "awaiting")
    return Told.TAKEN if under_way and _may_be_told(run, task) else Told.LOST


def _may_be_told(run: Run, task: Task) -> bool:
    """A worker of ours settles what it runs by itself."""
    fetched = pull.pulled(run.queue)
    return fetched or run.life.status == "awaiting" or task.target.get("complete") == "callback"


def _heeding(run: Run, answer: Answer) -> Answer:
    """Whoever was asked to stop, and says that it failed, has stopped."""
    if run.cancel_ms and isinstance(answer, Again):
        return Stopped("previous" if run.cancel_by == "previous" else "user")
    return answer


def _held(run_id: str, tenant_id: str) -> tuple[Run | None, Task | None]:
    row = runs.row_key(run_id)
    keys = {runs.TABLE: [row], tasks.TABLE: [tasks.spec_key(row["task_id"])]}
    found = tables.get_many(keys)
    run = next((runs.readable(item) for item in found[runs.TABLE]), None)
    if run is None or run.tenant_id != tenant_id:
        return None, None
    return run, next((tasks.parse(item) for item in found[tasks.TABLE]), None)
