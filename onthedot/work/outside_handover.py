"""Hands runs over before they start, if other workers work their task now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from onthedot.records.conditional_writes import Outcome
from onthedot.records.runs import handover_write
from onthedot.records.runs.message_pack import Pack, Ticket, of_run
from onthedot.records.runs.pull import alike, pulled
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks import task_spec
from onthedot.records.tasks.task_spec import QUEUES
from onthedot.store import clock, conditional_writer, queue, table_reads
from onthedot.work.batch import Batch
from onthedot.work.job import Job


def belongs_here(job: Job) -> bool:
    """Tells whether the run's queue is still its task's: an edit counts for every later start."""
    return job.task is None or alike(job.task.queue, job.held.queue)


def for_others(batch: Batch, job: Job) -> bool:
    """Tells whether a run is for other workers than those that ask for it.

    If an outside worker asks, the run was handed over after the index showed it. If a message asks,
    outside workers find the run by the index: a late or forged message must not start it.
    """
    if job.run is None or job.task is None:
        return False
    if pulled(batch.queue):
        return not alike(batch.queue, job.run.queue)
    return pulled(job.run.queue) and alike(job.task.queue, job.run.queue)


def resent(overdue: Iterable[Run]) -> list[Pack]:
    """Makes messages for overdue runs. Runs that outside workers find by the index need none.

    Outside workers may never ask for a run whose task has moved away from them. So a worker of ours
    gets its message and hands it over.
    """
    waiting = list(overdue)
    task_ids = dict.fromkeys(run.task_id for run in waiting if pulled(run.queue))
    keys = [task_spec.spec_key(task_id) for task_id in task_ids]
    found = table_reads.get_many({task_spec.TABLE: keys})[task_spec.TABLE] if keys else []
    specs = {item["task_id"]: task for item in found if (task := task_spec.readable(item))}
    packs = []
    for run in waiting:
        task = specs.get(run.task_id)
        own = bool(run.target_ref)
        moved = task is not None and not own and not alike(task.queue, run.queue)
        ours = replace(run, queue=QUEUES[task.priority]) if moved and task else run
        if not pulled(ours.queue):
            packs.append(of_run(ours, "resend"))
    return packs


def hand_over(batch: Batch, job: Job) -> None:
    """Changes the queue. Outside workers use the index; ours get a message before that."""
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
    moved = handover_write.hand_over(run, task.queue, now_ms=clock.now_ms())
    if conditional_writer.write_one(moved) is Outcome.DONE:
        batch.done([run.run_id])
