"""Laws of calendars: nothing starts inside one that stands, and outside nothing is kept back."""

from __future__ import annotations

from collections.abc import Iterator

from onthedot.core.instants import nominal
from onthedot.core.keys import run_id
from onthedot.core.run import Run
from onthedot.core.task import Task
from tests.simulation import true_slots
from tests.simulation.reigns import Reign, slots_within
from tests.simulation.stage import Stage


def heeded(stage: Stage, ruled: list[Reign], until_sec: float) -> Iterator[str]:
    """By the task as it was, beyond doubt, when each slot was due."""
    rows = stage.rows()
    end = stage.world.start.timestamp() + until_sec
    for reign in ruled:
        task = reign.task
        if not task.blackouts and task.version == 1:
            continue
        for slot, _ in slots_within(task, reign.since, min(reign.until, end)):
            run = rows.get(run_id(task.task_id, nominal(slot)))
            calendar = true_slots.closing(task, slot)
            if calendar and run and run.life.attempt:
                yield f"closed: {run.run_id} ran inside {calendar}"
            if not calendar and _kept_back(run, task, slot, rows):
                yield f"open: {task.name} {nominal(slot)} was skipped for a calendar"


def _kept_back(run: Run | None, task: Task, slot: int, rows: dict[str, Run]) -> bool:
    """A slot's own row says why; where there is none, the newest range that covers it does."""
    if run is not None:
        return run.life.reason == "calendar"
    # A bounded task owes no more than so many.
    if task.status != "active" or task.max_runs is not None:
        return False
    covering = [
        one
        for one in rows.values()
        if one.task_id == task.task_id and one.range_to and one.key < nominal(slot) <= one.range_to
    ]
    return bool(covering) and all(one.life.reason == "calendar" for one in covering)
