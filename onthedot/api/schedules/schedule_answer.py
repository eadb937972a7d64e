"""Shows a schedule with its last run, which is read if it is not at hand."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from onthedot.api.views import schedule_view
from onthedot.records.runs import run_row
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_cursor import Due
from onthedot.records.tasks.task_items import Known
from onthedot.records.tasks.task_spec import Task
from onthedot.registry.edit import Edited
from onthedot.store import clock, table_reads
from onthedot.store.tasks import read
from onthedot.upkeep import failing_task


def present(known: Known) -> dict[str, Any]:
    """Shows it as it was read."""
    task, due, now = known.task, known.due, clock.now_ms() // 1000
    rows, failures = _read(task.task_id, _recent(task, due, now))
    return schedule_view.view(task, now, last=_newest_of(rows), due=due, failures=failures)


def born(task: Task) -> dict[str, Any]:
    """Shows a new one."""
    return _view(task, _counted(task), ())


def after(edited: Edited) -> dict[str, Any]:
    """Shows what an edit left."""
    return _view(edited.task, _counted(edited.task), edited.near)


def _counted(task: Task) -> Due | None:
    """Reads the cursor, which counts the runs, only if they are counted."""
    known = read(task.task_id) if task.max_runs is not None else None
    return known.due if known else None


def _view(task: Task, due: Due | None, near: Sequence[Run]) -> dict[str, Any]:
    now = clock.now_ms() // 1000
    last = _newest(task.task_id, _recent(task, due, now), near)
    return schedule_view.view(task, now, last=last, due=due)


def _newest(task_id: str, keys: Sequence[str], near: Sequence[Run]) -> Run | None:
    """Returns the newest of these rows. It reads them unless the newest one is at hand."""
    if not keys:
        return None
    at_hand = next((run for run in near if run.key == keys[0]), None)
    if at_hand is not None:
        return at_hand
    return _newest_of(_read(task_id, keys)[0])


def _recent(task: Task, due: Due | None, now: int) -> list[str]:
    if due is not None:
        exhausted = task.status == "completed" or due.spent
        now = schedule_view.last_seen(due.next_run_at, now, exhausted=exhausted)
    return schedule_view.recent_keys(task.schedule, now, task.shown.get("created_at", ""))


def _read(task_id: str, keys: Sequence[str]) -> tuple[list[Run], int]:
    """Reads rows, and how many runs died in a row, in one call."""
    wanted = [{"task_id": task_id, "scheduled_for": key} for key in keys]
    items = table_reads.get_many({run_row.TABLE: [*wanted, failing_task.key(task_id)]})[
        run_row.TABLE
    ]
    rows = [item for item in items if item["task_id"] == task_id]
    records = [failing_task.parse(item) for item in items if item not in rows]
    # Once paused for them it needs no warning, even if a user has resumed it.
    failures = sum(health.failures for health in records if not health.paused_ms)
    return [run for run in map(run_row.readable, rows) if run], failures


def _newest_of(found: Sequence[Run]) -> Run | None:
    return max(found, key=lambda run: run.key, default=None)
