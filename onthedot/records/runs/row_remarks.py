"""Writes remarks on a row beside its life, which only the run's owner writes."""

from __future__ import annotations

from onthedot.records.conditional_writes import Clause, Update
from onthedot.records.runs import attention
from onthedot.records.runs.run_row import TABLE, Run


def replayed(run: Run, by: str, run_id: str, *, now_ms: int) -> Update:
    """Records who replayed the run, and as which run. It needs no attention any more."""
    sets = (("replayed_as", run_id), ("replayed_by", by), ("replayed_ms", now_ms))
    return Update(TABLE, _key(run), sets, (_as_it_ended(run),), removes=attention.NAMES)


def _as_it_ended(run: Run) -> Clause:
    return Clause.equal("life.status", run.life.status.value)


def _key(run: Run) -> tuple[tuple[str, str], ...]:
    return (("task_id", run.task_id), ("scheduled_for", run.key))
