"""Settling: what came of an attempt is written by its fence, and by nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from onthedot.adapters import claims, clock, ids, queue
from onthedot.core import moves
from onthedot.core.pack import Ticket, delay_sec
from onthedot.core.policy import after
from onthedot.core.run import Life
from onthedot.core.writes import Outcome
from onthedot.flows import gate
from onthedot.flows.batch import Batch
from onthedot.flows.job import Job, load


def settle(batch: Batch, ended: Sequence[Job]) -> None:
    """Send what is to be tried again, then settle, then finish, then delete.

    The retry's message goes first: a settled retry without one would wait for the audit.
    """
    now_ms = clock.now_ms()
    lives = [_life_after(job, now_ms) for job in ended]
    ready = [
        (job, life)
        for job, life in zip(ended, lives, strict=True)
        if life.status != "retrying" or _retry_sent(batch, job, life, now_ms)
    ]
    outcomes = claims.write_many(
        [moves.settle(job.held, life, now_ms=now_ms) for job, life in ready]
    )
    doubtful = []
    for (job, life), outcome in zip(ready, outcomes, strict=True):
        if outcome is Outcome.DONE:
            _close(batch, job, life)
        else:
            doubtful.append((job, life))
    _read_back(batch, doubtful)
    batch.delete_done()


def _life_after(job: Job, now_ms: int) -> Life:
    if job.task is None:
        raise LookupError(f"{job.ticket.run_id} ran without a task")
    answer = job.part.result()
    return after(job.held.life, job.task, answer, now_ms=now_ms, fraction=ids.fraction())


def _retry_sent(batch: Batch, job: Job, life: Life, now_ms: int) -> bool:
    message = batch.naming(job.ticket.run_id)[0]
    ticket = Ticket(job.ticket.run_id, life.attempt + 1, life.tv)
    single = batch.single(message.pack, ticket, "retry", life.due_ms)
    return not queue.send([(single, max(1, delay_sec(life.due_ms, now_ms)))])


def _close(batch: Batch, job: Job, life: Life) -> None:
    if life.status != "retrying":
        gate.finish(job)
    batch.done([job.ticket.run_id])


def _read_back(batch: Batch, doubtful: Sequence[tuple[Job, Life]]) -> None:
    """A lost answer shows our own outcome; a zombie's settle changes nothing."""
    mine = [job.held.life for job, _ in doubtful]
    load([job for job, _ in doubtful])
    for (job, life), started in zip(doubtful, mine, strict=True):
        if job.run is None:
            continue
        seen = job.run.life
        ours = seen.owner == started.owner and seen.attempt == started.attempt
        if ours and seen.status != "running":
            _close(batch, job, replace(life, status=seen.status))
