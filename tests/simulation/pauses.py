"""Pauses that end by themselves in a history: a caller's, and the minute that ends them."""

from __future__ import annotations

from onthedot.core import lifecycle, pauses
from onthedot.core.task import Task
from onthedot.core.writes import Insert
from onthedot.flows.change import change
from onthedot.flows.pauses import end_those_due
from tests.simulation.stage import Stage
from tests.simulation.world import START

_LENGTHS_SEC = (7, 40, 70, 130, 200)


def paused_for_a_while(task_id: str, at_sec: float, length_sec: int = 0) -> Task | None:
    """As the API does it; the same call again means the same end."""
    drawn = _LENGTHS_SEC[int(at_sec * 1000) % len(_LENGTHS_SEC)]
    end = int(START.timestamp() + at_sec) + (length_sec or drawn)

    def edit(task: Task, now: int) -> Task:
        if now >= end:
            return task
        return lifecycle.paused(task, now, pauses.why(now, "key_1", None, end))

    return change(task_id, edit, _listed)


def each_minute(stage: Stage, until_sec: float) -> None:
    """The audit's last act, in a process of its own."""
    stage.world.every(
        60,
        "pauses",
        lambda _: end_those_due(),
        first_sec=40,
        until_sec=until_sec,
        limit_sec=90,
    )


def _listed(before: Task, after: Task) -> list[Insert]:
    return [] if pauses.end_of(after) == pauses.end_of(before) else pauses.to_end(after)
