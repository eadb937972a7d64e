"""Gives the place in max_runs back if misfire ends a slot without a run."""

from __future__ import annotations

from collections.abc import Sequence

from onthedot.records.conditional_writes import Outcome, Update
from onthedot.records.runs import max_runs
from onthedot.records.tasks.task_cursor import Due
from onthedot.records.tasks.task_spec import Task
from onthedot.store import clock, conditional_writer, tasks
from onthedot.work.decision_table import Skip
from onthedot.work.job import Job

Settling = tuple[Job, Skip, Update]


def settle(skipping: Sequence[Settling]) -> list[Outcome]:
    """Writes outcomes. An outcome that gives a place back is written with it, all or nothing."""
    bounded = [each for each in skipping if _gives_back(each)]
    plain = [each for each in skipping if each not in bounded]
    outcomes = conditional_writer.write_many([write for *_, write in plain])
    found = {id(job): outcome for (job, *_), outcome in zip(plain, outcomes, strict=True)}
    found |= {id(job): _with_its_place(job, write) for job, _, write in bounded}
    return [found[id(job)] for job, *_ in skipping]


def _gives_back(settling: Settling) -> bool:
    job, skip, _ = settling
    return job.task is not None and max_runs.gives_back(
        job.task, job.held, skip.status, skip.reason
    )


def _with_its_place(job: Job, write: Update) -> Outcome:
    """Writes an outcome and its place. If it is not counted yet, a live dispatcher is awaited."""
    task, life = job.task, job.held.life
    cursor = tasks.cursor(job.held.task_id)
    if cursor is None or task is None:
        return conditional_writer.write_one(write)
    if not _is_counted(job, task, cursor):
        claiming = life.claim is not None and clock.now_ms() <= life.claim.until_ms
        return Outcome.UNSURE if claiming else conditional_writer.write_one(write)
    return conditional_writer.write_together([write, *max_runs.given_back(cursor, task)])


def _is_counted(job: Job, task: Task, cursor: Due) -> bool:
    due = job.held.life.due_first_ms // 1000
    by_edit = job.held.key in cursor.ahead or due <= task.effective_from
    return by_edit or due < cursor.next_run_at
