"""A run by the id in a path, with its task and its payload; a foreign one is as good as none."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from onthedot.adapters import clock, runlog, tables
from onthedot.api.asking import tenant
from onthedot.core import run as runs
from onthedot.core import run_view, side_item
from onthedot.core import task as tasks
from onthedot.core.kept_versions import Sent
from onthedot.core.problems import not_found
from onthedot.core.run import Run
from onthedot.core.side_item import Own
from onthedot.core.task import Task
from onthedot.flows import history, waiting
from onthedot.flows.payloads import at_hand


@dataclass(frozen=True, slots=True)
class Found:
    """A run as it was read."""

    run: Run
    task: Task
    # What its newest attempt was given.
    sent: Sent

    def view(self) -> dict[str, Any]:
        """Show it whole."""
        return run_view.view(self.run, self.task, self.sent, log_group=runlog.group())

    def waiting(self) -> Found:
        """Give it as one that waits, with what for, if it does; asked only where it may."""
        (shown,) = waiting.shown([self.run], clock.now_ms())
        return replace(self, run=shown)


def find(run_id: str) -> Found:
    """Read a run of this tenant's, in one call; in two where its spec was edited since."""
    try:
        row = runs.row_key(run_id)
    except ValueError:
        raise not_found("run of that id") from None
    beside = side_item.key(row["task_id"], row["scheduled_for"])
    found = tables.get_many(
        {runs.TABLE: [row, beside], tasks.TABLE: [tasks.spec_key(row["task_id"])]}
    )
    items = tables.by_key(found[runs.TABLE], "scheduled_for")
    item = items.get((row["scheduled_for"],))
    run = runs.readable(item) if item else None
    if run is None or run.tenant_id != tenant() or not found[tasks.TABLE]:
        raise not_found("run of that id")
    task = tasks.parse(found[tasks.TABLE][0])
    own = side_item.parse(items.get((beside["scheduled_for"],)))
    return Found(run, task, shown(run, task, own))


def shown(run: Run, task: Task, own: Own) -> Sent:
    """Give what a run was given as it is shown: its payload, wherever that lies."""
    sent = history.sent(run, task, own)
    return replace(sent, payload=None if run.purged_ms else at_hand(sent.payload))
