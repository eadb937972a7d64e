"""Counts for `max_runs`: every slot that was claimed to run, whatever its outcome."""

from __future__ import annotations

from typing import Any

from onthedot.records.conditional_writes import Clause, Update
from onthedot.records.keys import is_slot_key, shard_of
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.tasks.exhausted_schedules import revived
from onthedot.records.tasks.task_cursor import Due
from onthedot.records.tasks.task_spec import TABLE, Task, cursor_key
from onthedot.schedule.time.instants import nominal


def counts(run: Run) -> bool:
    """Tells whether a row counts. A record was never claimed, and a missed slot is no run."""
    life = run.life
    given_up = life.status == Status.MISSED or life.reason == Reason.COALESCED or bool(life.dropped)
    claimed = is_slot_key(run.key) and life.claimed_ms > 0
    return claimed and (life.starts > 0 or not given_up)


def gives_back(task: Task, run: Run, status: Status, reason: Reason) -> bool:
    """Tells whether a slot with this outcome gives its place back: claimed, but never to run."""
    claimed = is_slot_key(run.key) and run.life.claimed_ms > 0 and not run.life.attempt
    dropped = status == Status.MISSED or reason == Reason.COALESCED
    return task.max_runs is not None and claimed and dropped and not run.life.dropped


def given_back(cursor: Due, task: Task) -> list[Update]:
    """Raises the count by one. A schedule that had no run left becomes active again."""
    left = cursor.runs_left or 0
    sets: tuple[tuple[str, Any], ...] = (("runs_left", left + 1),)
    goes_on = cursor.schedule.next(cursor.next_run_at - 1) is not None
    back = left == 0 and goes_on and task.status in ("active", "completed")
    if back:
        sets += (("due_shard", shard_of(task.task_id)),)
    seen = (
        Clause.equal("version", cursor.version),
        Clause.equal("next_run_at", nominal(cursor.next_run_at)),
        Clause.equal("runs_left", left),
    )
    raised = Update(TABLE, tuple(cursor_key(task.task_id).items()), sets, seen)
    return [raised, revived(task)] if back else [raised]
