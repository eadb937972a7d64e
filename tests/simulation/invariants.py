"""What must hold at the end of every history, whatever went wrong in it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator

from onthedot.core.instants import nominal
from onthedot.core.keys import run_id
from onthedot.core.task import Task
from tests.simulation.stage import Stage

# Two clocks may differ by so much, and nothing corrects them here.
EARLY_MS = 2_000


def broken(stage: Stage, *, until_sec: float) -> list[str]:
    """Name every law that does not hold; slots due before `until_sec` must have their outcome."""
    laws = (
        _accounted(stage, until_sec),
        _final(stage),
        _once(stage),
        _on_time(stage),
        _sound(stage),
    )
    return [broken for law in laws for broken in law]


def _accounted(stage: Stage, until_sec: float) -> Iterator[str]:
    """Every slot of an active task ends in one outcome."""
    rows = stage.rows()
    until = int(stage.world.start.timestamp() + until_sec)
    for task in stage.tasks:
        spans = [
            (run.key.split("~")[0], run.range_to)
            for run in rows.values()
            if run.task_id == task.task_id and run.range_to
        ]
        for slot in _slots(task, until):
            key = nominal(slot)
            if run_id(task.task_id, key) in rows:
                continue
            if not any(first <= key <= last for first, last in spans):
                yield f"lost: {task.name} {key} has no row"


def _slots(task: Task, until: int) -> Iterator[int]:
    for slot in task.schedule.slots(task.effective_from):
        if task.schedule.due_at(slot) > until:
            return
        yield slot


def _final(stage: Stage) -> Iterator[str]:
    """Nothing is left open once everything has calmed down."""
    now_ms = stage.world.epoch_us() // 1000
    for run in stage.rows().values():
        if not run.final and run.life.due_ms < now_ms - 300_000:
            yield f"open: {run.run_id} is {run.life.status} at attempt {run.life.attempt}"


def _once(stage: Stage) -> Iterator[str]:
    """An attempt number is executed once; a run that succeeded was executed."""
    seen = Counter((delivery.run_id, delivery.attempt) for delivery in stage.deliveries)
    for (executed_id, attempt), count in seen.items():
        if count > 1:
            yield f"doubled: attempt {attempt} of {executed_id} was executed {count} times"
    executed = {delivery.run_id for delivery in stage.deliveries}
    for run in stage.rows().values():
        if run.life.status == "succeeded" and run.run_id not in executed:
            yield f"untrue: {run.run_id} succeeded and was never executed"


def _on_time(stage: Stage) -> Iterator[str]:
    """Never early."""
    for delivery in stage.deliveries:
        if delivery.at_ms < delivery.due_ms - EARLY_MS:
            yield f"early: {delivery.run_id} by {delivery.due_ms - delivery.at_ms} ms"


def _sound(stage: Stage) -> Iterator[str]:
    """Nothing that the stores call invalid was asked, and no flow broke for a reason of its own."""
    for bug in stage.world.bugs():
        yield f"bug: {bug}"
