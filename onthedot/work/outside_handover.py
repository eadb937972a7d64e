"""Hands runs over before they start, if other workers work their task now."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from onthedot.records.conditional_writes import Outcome
from onthedot.records.runs import handover_write
from onthedot.records.runs.pull import alike, pulled
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_spec import QUEUES
from onthedot.store import clock, conditional_writer, run_messages, tasks
from onthedot.work.job import Job
from onthedot.work.verdicts import Back, Struck


def to_resend(overdue: Iterable[Run]) -> list[Run]:
    """Returns the overdue runs that need a message; outside workers find theirs by the index.

    Outside workers may never ask for a run whose task has moved away from them: a worker of ours
    gets its message, and hands it over.
    """
    waiting = list(overdue)
    known = tasks.of(run.task_id for run in waiting if pulled(run.queue))
    ours = []
    for run in waiting:
        task = known.get(run.task_id)
        own = bool(run.target_ref)
        moved = task is not None and not own and not alike(task.queue, run.queue)
        run_here = replace(run, queue=QUEUES[task.priority]) if moved and task else run
        if not pulled(run_here.queue):
            ours.append(run_here)
    return ours


def hand_over(job: Job) -> Struck | Back:
    """Changes the queue. Outside workers use the index; ours get a message before that."""
    run, task = job.held, job.its_task
    if not run_messages.send(replace(run, queue=task.queue), "hop"):
        return Back()
    moved = handover_write.hand_over(run, task.queue, now_ms=clock.now_ms())
    return Struck() if conditional_writer.write_one(moved) is Outcome.DONE else Back()
