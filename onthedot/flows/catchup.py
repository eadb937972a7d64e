"""Running what passed under a pause: each slot once more, beside the outcome that it has."""

from __future__ import annotations

from collections.abc import Sequence

from onthedot.adapters import clock, ids
from onthedot.core.instants import nominal
from onthedot.core.keys import backfill_key
from onthedot.core.run import Run
from onthedot.core.task import Task
from onthedot.flows.extra import first_life, launch


def catch_up(task: Task, slots: Sequence[int]) -> None:
    """Launch them; a slot that was run again before is left alone."""
    now_ms = clock.now_ms()
    runs = [
        Run(
            task_id=task.task_id,
            key=backfill_key(slot, 1),
            tenant_id=task.tenant_id,
            origin="catchup",
            queue=task.queue,
            life=first_life(task, now_ms, ids.token()),
            slot=nominal(slot),
        )
        for slot in slots
    ]
    if runs:
        launch(runs)
