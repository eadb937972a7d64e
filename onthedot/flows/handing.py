"""Handing over: a run whose task is now worked elsewhere goes there before it starts."""

from __future__ import annotations

from onthedot.adapters import claims, clock, queue
from onthedot.core import handover
from onthedot.core.pack import Pack, Ticket
from onthedot.core.pull import pulled
from onthedot.core.writes import Outcome
from onthedot.flows.batch import Batch
from onthedot.flows.job import Job


def belongs_here(job: Job) -> bool:
    """An edit of the target holds for every run that starts after it."""
    return job.task is None or pulled(job.task.queue) == pulled(job.held.queue)


def elsewhere(batch: Batch, job: Job) -> bool:
    """Tell whether a run is found by others than those who ask for it here.

    No message is sent of what outside workers find by its index: a late duplicate or a forged one
    must not start it. And what goes by messages is no outside worker's, though the index it read
    may have shown it a moment ago: it has been handed over since.
    """
    if job.run is None or job.task is None:
        return False
    if batch.naming(job.ticket.run_id):
        return pulled(job.task.queue) and pulled(job.run.queue)
    return not pulled(job.run.queue)


def hand_over(batch: Batch, job: Job) -> None:
    """Outside workers find the row by its index; ours get a message before the row says so."""
    run, task = job.held, job.task
    if task is None:
        raise LookupError(f"{run.run_id} has no task")
    ticket = Ticket(run.run_id, run.life.attempt + 1, run.life.tv)
    message = Pack(
        due_ms=run.life.due_ms,
        why="hop",
        tickets=(ticket,),
        tenant_id=run.tenant_id,
        queue=task.queue,
    )
    if queue.send([(message, 0)]):
        return
    moved = handover.hand_over(run, task.queue, now_ms=clock.now_ms())
    if claims.write_one(moved) is Outcome.DONE:
        batch.done([run.run_id])
