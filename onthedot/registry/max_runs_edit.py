"""Counts for a bounded task what an edit finds claimed, each slot once.

Slots that the edit drops are given back.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from onthedot.records.conditional_writes import Clause, Outcome, Update
from onthedot.records.keys import shard_of
from onthedot.records.runs import max_runs, run_row, run_writes
from onthedot.records.runs.edited_slots import marked, why_dropped
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.tasks import exhausted_schedules, task_spec
from onthedot.records.tasks.task_items import Known, first_due
from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import LOOK_AHEAD_SEC
from onthedot.registry.edit_steps import Recount, Step, remaining
from onthedot.schedule.schedule import JITTER_MAX_SEC
from onthedot.schedule.time.instants import nominal
from onthedot.store import clock, conditional_writer, ids, table_reads

_TRIES = 8


def recount(step: Step) -> Recount:
    """Counts slots that a dispatcher claimed and did not count, because it died or was late.

    The cursor may move back to slots that are claimed and counted already.
    """
    known, wanted = step.seen, step.wanted
    if known.due.runs_left is None:
        return Recount()
    claimed = list(_claimed(known, step.at))
    uncounted = sum(not _is_counted(run, known) for run in claimed)
    # A cursor that does not move back stays, and slots before it are counted.
    edge = wanted.effective_from
    if wanted.status != "active":
        edge = max(edge, known.due.next_run_at - 1)
    return Recount(
        uncounted,
        tuple(run.key for run in claimed if _due(run) > edge),
        frozenset(run.key for run in claimed),
    )


def give_back(step: Step, counted: Recount, near: Sequence[Run]) -> None:
    """Gives back the runs that an edit dropped: it marks them, then raises the count.

    It comes after the stamp and before any dispatch: no dropped run can start any more, and no
    later edit restores a marked one. After a crash nothing is given back, and a cursor that moved
    since is left alone: rather a run too few than one too many.
    """
    wanted, left = step.wanted, remaining(step, counted)
    reasons = [(run, reason) for run in near if (reason := _why_dropped(run, wanted, counted))]
    if not reasons or left is None:
        return
    by, now_ms = ids.token(), clock.now_ms()
    outcomes = conditional_writer.write_many(
        [
            run_writes.mark(run, marked(run.life, reason, by), now_ms=now_ms)
            for run, reason in reasons
        ]
    )
    if given := outcomes.count(Outcome.DONE):
        _count_again(wanted, left, left + given)


def _count_again(wanted: Task, written: int, raised: int) -> None:
    """Raises the count. One write also makes a task that had no run left active again."""
    sets: tuple[tuple[str, Any], ...] = (("runs_left", raised),)
    back = written <= 0 < raised and first_due(wanted) is not None
    if back:
        sets += (("due_shard", shard_of(wanted.task_id)),)
    key = tuple(task_spec.cursor_key(wanted.task_id).items())
    as_written = (Clause.equal("version", wanted.version), Clause.equal("runs_left", written))
    count = Update(task_spec.TABLE, key, sets, as_written)
    if not back:
        conditional_writer.write_one(count)
        return
    # The audit may have marked it as completed by now.
    for _ in range(_TRIES):
        if (
            conditional_writer.write_together([count, exhausted_schedules.revived(wanted)])
            is not Outcome.UNSURE
        ):
            return


def _why_dropped(run: Run, wanted: Task, counted: Recount) -> Reason | None:
    """Returns why a run that this edit counted will never start, or None."""
    waits = run.key in counted.claimed and run.life.status == Status.CLAIMED
    return why_dropped(run, wanted) if waits and wanted.status == "active" else None


def _claimed(known: Known, now: int) -> Iterator[Run]:
    since = min(now, known.due.next_run_at) - JITTER_MAX_SEC
    between = (nominal(since), nominal(now + LOOK_AHEAD_SEC + JITTER_MAX_SEC))
    for item in table_reads.rows(("task_id", known.task.task_id), "scheduled_for", between):
        run = run_row.readable(item)
        if run and max_runs.counts(run):
            yield run


def _is_counted(run: Run, known: Known) -> bool:
    """Tells whether a run was counted, by an earlier edit or by the cursor."""
    due = _due(run)
    by_edit = run.key in known.due.ahead or due <= known.task.effective_from
    return by_edit or due < known.due.next_run_at


def _due(run: Run) -> int:
    """Returns when it was first due. A retry has a due time of its own."""
    return run.life.due_first_ms // 1000
