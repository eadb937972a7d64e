"""Giving back: a slot that misfire ends without a run gives its place in max_runs back."""

from __future__ import annotations

from collections.abc import Sequence

from onthedot.adapters import claims, clock, tables
from onthedot.core import bound
from onthedot.core import due as dues
from onthedot.core import task as tasks
from onthedot.core.decide import Skip
from onthedot.core.due import Due
from onthedot.core.task import Task
from onthedot.core.writes import Outcome, Update
from onthedot.flows.job import Job

Settling = tuple[Job, Skip, Update]


def settle(skipping: Sequence[Settling]) -> list[Outcome]:
    """Write outcomes; with one that gives a place back, the place, all or nothing."""
    bounded = [each for each in skipping if _gives_back(each)]
    plain = [each for each in skipping if each not in bounded]
    outcomes = claims.write_many([write for *_, write in plain])
    found = {id(job): outcome for (job, *_), outcome in zip(plain, outcomes, strict=True)}
    found |= {id(job): _with_its_place(job, write) for job, _, write in bounded}
    return [found[id(job)] for job, *_ in skipping]


def _gives_back(settling: Settling) -> bool:
    job, skip, _ = settling
    return job.task is not None and bound.gives_back(job.task, job.held, skip.status, skip.reason)


def _with_its_place(job: Job, write: Update) -> Outcome:
    """What no cursor has passed is not counted yet: its dispatcher is waited for, if it lives."""
    task, life = job.task, job.held.life
    item = tables.get(tasks.TABLE, tasks.cursor_key(job.held.task_id))
    cursor = dues.parse(item) if item else None
    if cursor is None or task is None:
        return claims.write_one(write)
    if not _is_counted(job, task, cursor):
        claiming = clock.now_ms() <= life.claim_until
        return Outcome.UNSURE if claiming else claims.write_one(write)
    return claims.write_together([write, *bound.given_back(cursor, task)])


def _is_counted(job: Job, task: Task, cursor: Due) -> bool:
    due = job.held.life.due_first_ms // 1000
    by_edit = job.held.key in cursor.ahead or due <= task.effective_from
    return by_edit or due < cursor.next_run_at
