"""Late: slots that were due long ago and have not started are asked about before they do.

Only they pay for it: what they stood in line for is read, then what covers them, then newer runs.
"""

from __future__ import annotations

from collections.abc import Sequence

from onthedot.adapters import clock, tables
from onthedot.core import bound, catching, misfire, waiting
from onthedot.core import due as dues
from onthedot.core import run as runs
from onthedot.core import task as tasks
from onthedot.core.decide import Busy, Late, Skip
from onthedot.core.instants import nominal, parse_nominal
from onthedot.core.misfire import Slot
from onthedot.core.pull import pulled
from onthedot.core.task import Task
from onthedot.core.waiting import Items
from onthedot.flows.job import Job
from onthedot.flows.ranges import covering

# So long after it was called a run has started, or its worker is dead.
_CALLED_SEC = 30
_SURE = 2


def judged(found: Sequence[tuple[Job, Late]]) -> list[tuple[Job, Skip | Busy | None]]:
    """Say of each what it ends as without a run; None: it may start; Busy: look again later."""
    lines = _lines([job for job, _ in found if not _known(job)])
    return [(job, _verdict(job, each, lines)) for job, each in found]


def _known(job: Job) -> bool:
    """Tell whether nothing needs to be read to know that it was late before, or taken up."""
    run = job.held
    return run.origin == "catchup" or pulled(run.queue) or bool(run.life.gate_ms)


def _lines(jobs: Sequence[Job]) -> Items:
    keys = [key for job in jobs for key in waiting.lines(job.held)]
    each_once = {tuple(key.values()): key for key in keys}
    if not each_once:
        return {}
    found = tables.get_many({runs.TABLE: list(each_once.values())})[runs.TABLE]
    return tables.by_key(found, "task_id", "scheduled_for")


def _verdict(job: Job, late: Late, lines: Items) -> Skip | Busy | None:
    run, task = job.held, job.task
    if task is None:
        raise LookupError(f"{run.run_id} has no task")
    now_ms = clock.now_ms()
    judged = run.origin == "catchup"
    slot = Slot(
        due_ms=late.then.due_ms,
        judged=judged,
        taken_up=_is_taken_up(job, task, lines),
    )
    ended = misfire.ending(task, slot, now_ms, lambda: _newer(task, run, now_ms // 1000))
    if ended and job.most and not judged and job.hint.receives < _SURE:
        # It may have been called from its tenant's line just now, where it leaves no trace.
        return Busy(_CALLED_SEC)
    if ended:
        return Skip(*ended)
    job.late = judged or not slot.taken_up
    # A slot that a stalled dispatcher claimed may have its outcome in a range by now.
    spanned = covering(run)
    return Skip(spanned.life.status, spanned.life.reason) if spanned else None


def _is_taken_up(job: Job, task: Task, lines: Items) -> bool:
    run = job.held
    fetched, behind = pulled(run.queue), catching.is_behind(run, task)
    return fetched or behind or _called(job, lines) or waiting.stands(run, lines)


def _called(job: Job, lines: Items) -> bool:
    """Tell whether it is called from its tenant's line, where its entry goes with the call.

    Where the limit went, too, the place at its own gate shows that it came so far.
    """
    return job.hint.why == "wake" and (bool(job.most) or waiting.holds(job.held, lines))


def _newer(task: Task, run: runs.Run, now: int) -> bool:
    """Tell whether a newer slot is due that may fire; of a bounded task, within its bound."""
    slot = parse_nominal(run.key)
    if not misfire.newer_due(task, slot, now):
        return False
    if task.max_runs is None:
        return True
    item = tables.get(tasks.TABLE, tasks.cursor_key(task.task_id))
    cursor = dues.parse(item) if item else None
    if cursor is not None and not cursor.spent and cursor.next_run_at <= now:
        return True
    between = (nominal(slot + 1), nominal(now))
    newer = tables.rows(("task_id", task.task_id), "scheduled_for", between)
    return any(bound.counts(seen) for item in newer if (seen := runs.readable(item)))
