"""Records an attempt that came to settle when another worker had its run."""

from __future__ import annotations

from onthedot.records.conditional_writes import Clause, Update
from onthedot.records.runs.attempts import ATTEMPTS_KEPT, attempt_record
from onthedot.records.runs.run_row import TABLE, Attempt, Run


def note(seen: Run, started: Attempt, *, now_ms: int) -> Update:
    """Adds a record beside the life, which only the run's owner writes. It changes nothing else."""
    record = attempt_record(started, "stale", now_ms)
    return Update(
        TABLE,
        (("task_id", seen.task_id), ("scheduled_for", seen.key)),
        (("stale", [*seen.stale, record][-ATTEMPTS_KEPT:]),),
        (Clause.equal("life.attempt", seen.life.starts),),
    )
