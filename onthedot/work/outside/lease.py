"""Leases runs to outside workers.

A fetched run passes the same table, gates and conditional start as any other.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from onthedot.records.conditional_writes import Outcome
from onthedot.records.keys import run_id as run_id_of
from onthedot.records.runs import pull, run_writes
from onthedot.records.runs.message_pack import Ticket
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import MARGIN_SEC
from onthedot.store import clock, conditional_writer, ids, pull_index, stored_runs
from onthedot.targets.attempt_outcome import Dead
from onthedot.targets.call import Call
from onthedot.work import target_call
from onthedot.work.awaited_completion import conclude
from onthedot.work.batch import Batch
from onthedot.work.decision_table import Hint
from onthedot.work.gates import tenant_quota
from onthedot.work.job import Job
from onthedot.work.outside.lease_answers import extended
from onthedot.work.starts import start_due

# Runs to look at, in up to three steps. Some in the index are taken or wait: then it looks further.
_LOOK_AT = (30, 120, 480)


@dataclass(frozen=True, slots=True)
class Leased:
    """A run that is now a worker's, its task, and what the worker is told."""

    run: Run
    task: Task
    call: Call


def take(queue: str, *, tenant_id: str, most: int, worker: str, lease_sec: int) -> list[Leased]:
    """Starts up to `most` runs for a worker. Runs that others hold or that wait are left alone."""
    now_ms = clock.now_ms()
    # A lease is over for others only when no clock can show it as valid.
    *due, leased = pull.ranges(now_ms)
    over = (leased[0], pull.ranges(now_ms - MARGIN_SEC * 1000)[-1][1])
    owner = f"{worker}/{ids.token()}"
    taken: list[Leased] = []
    seen: set[str] = set()
    for limit in _LOOK_AT:
        keys = pull_index.due(pull.partition(tenant_id, queue), (*due, over), limit)
        fresh = _unseen(keys, seen)
        seen.update(fresh)
        while fresh and len(taken) < most:
            room = most - len(taken)
            some, fresh = fresh[:room], fresh[room:]
            begun, bounded = _started(queue, some, owner, lease_sec)
            taken += begun
            if bounded and not begun and tenant_quota.all_taken(tenant_id):
                return taken
        if len(taken) == most or len(keys) < limit:
            break
    return taken


def _started(
    queue: str, run_ids: Sequence[str], owner: str, lease_sec: int
) -> tuple[list[Leased], bool]:
    """Returns the runs that are now the worker's, and whether their tenant has a quota."""
    rows = stored_runs.named(run_ids)
    # In the index's order: a batch of rows has none.
    jobs = [_job(rows[run_id], owner) for run_id in run_ids if run_id in rows]
    asking = Batch(queue=pull.queue_of(1, queue), messages=[])
    started, _ = start_due(asking, jobs, worker=owner)
    leased = [_leased(job, lease_sec) for job in started]
    return [each for each in leased if each], any(job.most for job in jobs)


def _unseen(keys: Sequence[Mapping[str, Any]], seen: Collection[str]) -> list[str]:
    """Drops repeated keys: a run that moves while the index is read may be in two parts."""
    run_ids = dict.fromkeys(map(_run_id, keys))
    return [run_id for run_id in run_ids if run_id not in seen]


def _run_id(item: Mapping[str, Any]) -> str:
    return run_id_of(item["task_id"], item["scheduled_for"])


def _job(run: Run, owner: str) -> Job:
    attempt = run.life.starts + 1
    return Job(
        ticket=Ticket(run.run_id, attempt, run.life.tv),
        hint=Hint(attempt=attempt, receives=1, message_id=owner),
        tenant_id=run.tenant_id,
    )


def _leased(job: Job, lease_sec: int) -> Leased | None:
    """Extends the short lease of the start. If that is refused, the short one stays."""
    task = job.its_task
    if job.answer:
        # It ended as it began: its task is no more.
        conclude(job.held, task, job.answer)
        return None
    longer = extended(job.held, task, lease_sec)
    write = run_writes.mark(job.held, longer.life, now_ms=clock.now_ms())
    kept = tenant_quota.extend_of(job.held, longer.life.lease_ms)
    written = kept and conditional_writer.write_one(write) is Outcome.DONE
    job.run = longer if written else extended(job.held, task, 0)
    call = target_call.complete(target_call.call_of(job, job.held, task))
    if isinstance(call, Dead):
        conclude(job.held, task, call)
        return None
    return Leased(job.held, task, call)
