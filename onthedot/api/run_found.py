"""A run by the id in a path, with its task and its payload; a foreign one is as good as none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from onthedot.adapters import clock, runlog, tables
from onthedot.api.asking import tenant
from onthedot.core import payloads, run_view
from onthedot.core import run as runs
from onthedot.core import task as tasks
from onthedot.core.keys import payload_key
from onthedot.core.problems import not_found
from onthedot.core.run import Run
from onthedot.core.task import Task
from onthedot.flows import waiting
from onthedot.flows.payloads import at_hand


@dataclass(frozen=True, slots=True)
class Found:
    """A run as it was read."""

    run: Run
    task: Task
    payload: Any

    def view(self) -> dict[str, Any]:
        """Show it whole."""
        return run_view.view(self.run, self.task, self.payload, log_group=runlog.group())

    def waiting(self) -> Found:
        """Give it as one that waits, with what for, if it does; asked only where it may."""
        (shown,) = waiting.shown([self.run], clock.now_ms())
        return replace(self, run=shown)


def find(run_id: str) -> Found:
    """Read a run of this tenant's, in one call."""
    try:
        row = runs.row_key(run_id)
    except ValueError:
        raise not_found("run of that id") from None
    beside = {**row, "scheduled_for": payload_key(row["scheduled_for"])}
    found = tables.get_many(
        {runs.TABLE: [row, beside], tasks.TABLE: [tasks.spec_key(row["task_id"])]}
    )
    items = tables.by_key(found[runs.TABLE], "scheduled_for")
    item = items.get((row["scheduled_for"],))
    run = runs.readable(item) if item else None
    if run is None or run.tenant_id != tenant() or not found[tasks.TABLE]:
        raise not_found("run of that id")
    task = tasks.parse(found[tasks.TABLE][0])
    own = items.get((beside["scheduled_for"],))
    payload = payloads.read(own["payload"]) if own else task.payload
    return Found(run, task, at_hand(payload))
