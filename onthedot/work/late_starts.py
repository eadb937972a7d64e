"""Judges late slots that have not started, before they may start.

Only they cost these reads: the line that they waited in, the ranges over them, newer runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from onthedot.dispatch.range_rows import covering
from onthedot.records.runs import max_runs, run_row
from onthedot.records.runs.pull import pulled
from onthedot.records.tasks import misfire
from onthedot.records.tasks.misfire import Slot
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import nominal, parse_nominal
from onthedot.store import clock, table_reads, tasks
from onthedot.work.decision_table import Busy, Late, Skip
from onthedot.work.gates import late_line, wait_reasons
from onthedot.work.gates.wait_reasons import Items
from onthedot.work.job import Job

# Seconds after a call in which a run has started, or its worker is dead.
_CALLED_SEC = 30
_SURE = 2


def judged(found: Sequence[tuple[Job, Late]]) -> list[tuple[Job, Skip | Busy | None]]:
    """Returns the verdict for each. None: it may start. Busy: look again later."""
    lines = _lines([job for job, _ in found if not _known(job)])
    return [(job, _verdict(job, each, lines)) for job, each in found]


def _known(job: Job) -> bool:
    """Tells whether the job itself shows that it was late before, or taken up."""
    run = job.held
    return run.origin == "catchup" or pulled(run.queue) or run.life.booking is not None


def _lines(jobs: Sequence[Job]) -> Items:
    keys = [key for job in jobs for key in wait_reasons.lines(job.held)]
    each_once = {tuple(key.values()): key for key in keys}
    found = table_reads.get_all(run_row.TABLE, each_once.values())
    return table_reads.by_key(found, "task_id", "scheduled_for")


def _verdict(job: Job, late: Late, lines: Items) -> Skip | Busy | None:
    run, task = job.held, job.its_task
    now_ms = clock.now_ms()
    judged = run.origin == "catchup"
    slot = Slot(
        due_ms=late.then.due_ms,
        judged=judged,
        taken_up=_is_taken_up(job, task, lines),
    )
    ended = misfire.ending(task, slot, now_ms, lambda: _newer(task, run, now_ms // 1000))
    if ended and job.most and not judged and job.hint.receives < _SURE:
        # Its tenant's line may have called it just now, which leaves no trace there.
        return Busy(_CALLED_SEC)
    if ended:
        return Skip(*ended)
    job.late = judged or not slot.taken_up
    # A stalled dispatcher claimed the slot. By now its outcome may stand in a range.
    spanned = covering(run)
    return Skip(spanned.life.status, spanned.life.reason) if spanned else None


def _is_taken_up(job: Job, task: Task, lines: Items) -> bool:
    run = job.held
    fetched, behind = pulled(run.queue), late_line.is_behind(run, task)
    return fetched or behind or _called(job, lines) or wait_reasons.stands(run, lines)


def _called(job: Job, lines: Items) -> bool:
    """Tells whether its tenant's line called it. The call deletes its entry there.

    If the limit is gone too, its place at its own gate shows that it came so far.
    """
    return job.hint.why == "wake" and (bool(job.most) or wait_reasons.holds(job.held, lines))


def _newer(task: Task, run: run_row.Run, now: int) -> bool:
    """Tells whether a newer slot is due that may fire. A bounded task must have a run left."""
    slot = parse_nominal(run.key)
    if not misfire.newer_due(task, slot, now):
        return False
    if task.max_runs is None:
        return True
    cursor = tasks.cursor(task.task_id)
    if cursor is not None and not cursor.spent and cursor.next_run_at <= now:
        return True
    between = (nominal(slot + 1), nominal(now))
    newer = table_reads.rows(("task_id", task.task_id), "scheduled_for", between)
    return any(max_runs.counts(seen) for item in newer if (seen := run_row.readable(item)))
