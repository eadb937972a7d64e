"""A schedule as an answer shows it: with its last run, which is read unless it is at hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from onthedot.adapters import clock, tables
from onthedot.core import run as runs
from onthedot.core import schedule_view
from onthedot.core.run import Run
from onthedot.core.task import Task
from onthedot.flows.change import Changed
from onthedot.flows.known import Known, read


def present(known: Known) -> dict[str, Any]:
    """Show it as it was read."""
    return _view(known.task, known.due.runs_left, ())


def born(task: Task) -> dict[str, Any]:
    """Show a new one."""
    return _view(task, _runs_left(task), ())


def after(edited: Changed) -> dict[str, Any]:
    """Show what an edit left."""
    return _view(edited.task, _runs_left(edited.task), edited.near)


def _runs_left(task: Task) -> int | None:
    """Ask the cursor, which counts them, only where they are counted."""
    known = read(task.task_id) if task.max_runs is not None else None
    return known.due.runs_left if known else None


def _view(task: Task, runs_left: int | None, near: Sequence[Run]) -> dict[str, Any]:
    now = clock.now_ms() // 1000
    keys = schedule_view.recent_keys(task.schedule, now, task.shown.get("created_at", ""))
    last = _newest(task.task_id, keys, near)
    return schedule_view.view(task, now, last=last, runs_left=runs_left)


def _newest(task_id: str, keys: Sequence[str], near: Sequence[Run]) -> Run | None:
    """Give the newest row that there is; only then the older ones are none of its last run."""
    if not keys:
        return None
    at_hand = next((run for run in near if run.key == keys[0]), None)
    if at_hand is not None:
        return at_hand
    wanted = {runs.TABLE: [{"task_id": task_id, "scheduled_for": key} for key in keys]}
    found = [runs.readable(item) for item in tables.get_many(wanted)[runs.TABLE]]
    return max((run for run in found if run), key=lambda run: run.key, default=None)
