"""Schedules that end in a history: users bound them and give them more; each minute notes them."""

from __future__ import annotations

from dataclasses import replace

from onthedot.core import lifecycle
from onthedot.core.packed import pack
from onthedot.core.schedule import compile_schedule
from onthedot.core.task import Task
from onthedot.flows import exhausted
from onthedot.flows.change import change
from tests.simulation.stage import Stage
from tests.simulation.world import START

_BOUNDS = (1, 4, 5, 8)
_LASTS_SEC = 40


def rebounded(task_id: str, at_sec: float) -> Task | None:
    """Another number of runs; the same call again means the same."""
    most = _BOUNDS[int(at_sec * 1000) % len(_BOUNDS)]
    return change(
        task_id, lambda task, _: task if task.max_runs is None else replace(task, max_runs=most)
    )


def ended_soon(task_id: str, at_sec: float) -> Task | None:
    """Another schedule, which ends soon."""
    end = int(START.timestamp() + at_sec) + _LASTS_SEC
    compiled = pack(compile_schedule("*/20 * * * * *", end_at=end))

    def edit(task: Task, now: int) -> Task:
        if task.compiled == compiled:
            return task
        return lifecycle.restarted(replace(task, compiled=compiled), now)

    return change(task_id, edit)


def each_minute(stage: Stage, until_sec: float) -> None:
    """The audit's look at what fires no more, in a process of its own."""
    stage.world.every(
        60,
        "note",
        lambda _: exhausted.note(),
        first_sec=45,
        until_sec=until_sec,
        limit_sec=60,
    )
