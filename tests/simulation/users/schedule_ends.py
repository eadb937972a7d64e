"""Schedules that end in a history: users bound them and give them more."""

from __future__ import annotations

from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import nominal
from tests.simulation.machine.world import START
from tests.simulation.stage import Stage
from tests.simulation.users import user

_BOUNDS = (1, 4, 5, 8)
_LASTS_SEC = 40


def rebounded(stage: Stage, task_id: str, at_sec: float) -> Task | None:
    """Returns another number of runs; the same call again means the same."""
    most = _BOUNDS[int(at_sec * 1000) % len(_BOUNDS)]
    task = next(each for each in stage.tasks if each.task_id == task_id)
    return None if task.max_runs is None else user.patch(task_id, max_runs=most)


def ended_soon(task_id: str, at_sec: float) -> Task | None:
    """Returns another schedule, which ends soon."""
    end = nominal(int(START.timestamp() + at_sec) + _LASTS_SEC)
    return user.patch(task_id, cron="*/20 * * * * *", end_at=end)
