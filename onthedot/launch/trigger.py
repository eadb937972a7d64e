"""Triggers a run without a slot, now or later. It never moves the cursor."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from onthedot.dispatch.extra_runs import first_life, launched, relaunched
from onthedot.records.keys import moment_key
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_items import Known
from onthedot.records.tasks.task_spec import ENDED
from onthedot.store import clock, ids, stored_runs
from onthedot.store.tasks import read


@dataclass(frozen=True, slots=True)
class Moment:
    """The parts of the run's key. The same parts give the same run."""

    now_ms: int
    token: str
    # The due time. 0 means at once.
    due_ms: int = 0
    # Whether an earlier try may have asked for it.
    again: bool = True


def trigger(
    task_id: str,
    *,
    payload: Any = None,  # noqa: ANN401 any JSON
    moment: Moment | None = None,
    known: Known | None = None,
) -> Run | None:
    """Runs a task once, with its own payload or another. `known`: the task was just read."""
    known = known or read(task_id)
    if known is None or known.task.status in ENDED:
        return None
    at = moment or Moment(clock.now_ms(), ids.token(6))
    manual = Run(
        task_id=task_id,
        key=moment_key(at.now_ms, "m", at.token),
        tenant_id=known.task.tenant_id,
        origin="manual",
        queue=known.task.queue,
        life=first_life(known.task, at.now_ms, ids.token()),
    )
    if moment and moment.again:
        there = stored_runs.read(manual.run_id)
        if there is not None:
            return relaunched(there)
    life = replace(manual.life, due_ms=max(at.now_ms, at.due_ms))
    return launched(replace(manual, life=life), payload)
