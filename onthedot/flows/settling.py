"""Settling: what came of an attempt is written by its fence, and by nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from onthedot.adapters import claims, clock, ids, queue
from onthedot.core import moves, stale
from onthedot.core.pack import Ticket, delay_sec
from onthedot.core.policy import Stopped, after, next_look_sec
from onthedot.core.run import FINAL, Life
from onthedot.core.writes import Outcome
from onthedot.flows import gates, permits
from onthedot.flows.batch import Batch
from onthedot.flows.job import Job, load

_TRIES = 3
Settled = tuple[Job, Life]


def settle(batch: Batch, ended: Sequence[Job]) -> None:
    """Send what is to be tried again or looked at, then settle, then finish, then delete.

    The next message goes first: a settled retry without one would wait for the audit.
    """
    now_ms = clock.now_ms()
    lives = [_life_after(job, now_ms) for job in ended]
    for job, life in zip(ended, lives, strict=True):
        if life.status == "awaiting":
            # What it waits for goes on elsewhere, and counts as long as it may take.
            permits.extend([job], life.lease_ms)
    ready = [
        (job, life)
        for job, life in zip(ended, lives, strict=True)
        if life.status in FINAL or _next_sent(batch, job, life, now_ms)
    ]
    for _ in range(_TRIES):
        ready = _written(batch, ready, now_ms)
    batch.delete_done()


def _written(batch: Batch, ready: Sequence[Settled], now_ms: int) -> list[Settled]:
    """Give those that are still to be written: an outcome in doubt must not cost an attempt."""
    if not ready:
        return []
    writes = [moves.settle(job.held, life, now_ms=now_ms) for job, life in ready]
    settled: list[Settled] = []
    doubtful: list[Settled] = []
    for one, outcome in zip(ready, claims.write_many(writes), strict=True):
        (settled if outcome is Outcome.DONE else doubtful).append(one)
    _close(batch, settled)
    return _read_back(batch, doubtful)


def _life_after(job: Job, now_ms: int) -> Life:
    if job.task is None:
        raise LookupError(f"{job.ticket.run_id} ran without a task")
    answer = job.answer or job.part.result()
    if isinstance(answer, Stopped) and job.held.cancel_by == "previous":
        answer = Stopped("previous")
    life = replace(job.held.life, progress=job.reached)
    return after(life, job.task, answer, now_ms=now_ms, fraction=ids.fraction())


def _next_sent(batch: Batch, job: Job, life: Life, now_ms: int) -> bool:
    message = batch.naming(job.ticket.run_id)[0]
    if life.status == "awaiting":
        ticket = Ticket(job.ticket.run_id, life.attempt, life.tv)
        poll = batch.single(message.pack, ticket, "poll")
        return not queue.send([(poll.of_tenant(job.tenant_id), next_look_sec(life, now_ms))])
    ticket = Ticket(job.ticket.run_id, life.attempt + 1, life.tv)
    single = batch.single(message.pack, ticket, "retry", life.due_ms)
    delay = max(1, delay_sec(life.due_ms, now_ms))
    return not queue.send([(single.of_tenant(job.tenant_id), delay)])


def _close(batch: Batch, settled: Sequence[Settled]) -> None:
    """Places are given up before messages go: whoever waits must not be forgotten."""
    permits.leave([job.held for job, life in settled if life.status == "retrying"])
    gates.leave([job for job, life in settled if life.status in FINAL])
    batch.done([job.ticket.run_id for job, _ in settled])


def _read_back(batch: Batch, doubtful: Sequence[Settled]) -> list[Settled]:
    """A lost answer shows our own outcome; a zombie's settle changes nothing."""
    mine = [job.held.life for job, _ in doubtful]
    load([job for job, _ in doubtful])
    left = []
    for (job, life), started in zip(doubtful, mine, strict=True):
        if job.run is None:
            continue
        seen = job.run.life
        if seen.owner != started.owner or seen.attempt != started.attempt:
            # The target was called all the same: say so, and change nothing.
            claims.write_one(stale.note(job.run, started, now_ms=clock.now_ms()))
            continue
        if seen.status == "running":
            left.append((job, life))
        else:
            _close(batch, [(job, replace(life, status=seen.status))])
    return left
