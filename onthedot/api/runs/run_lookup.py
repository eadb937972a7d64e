"""Reads a run by the id in a path, with its task and payload. Another tenant's is not found."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

from onthedot.api.door.request import tenant
from onthedot.api.views import run_view
from onthedot.records.problems import not_found
from onthedot.records.runs import run_row, side_item
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.side_item import Own
from onthedot.records.tasks import task_spec
from onthedot.records.tasks.kept_versions import Sent
from onthedot.records.tasks.task_spec import Task
from onthedot.store import clock, run_inputs, table_reads
from onthedot.store.payloads import at_hand
from onthedot.targets.python import run_log
from onthedot.work.gates import waiting_runs


@dataclass(frozen=True, slots=True)
class Found:
    """A run as it was read."""

    run: Run
    task: Task
    # What its newest attempt got.
    sent: Sent

    def view(self) -> dict[str, Any]:
        """Shows it completely."""
        return run_view.view(self.run, self.task, self.sent, log_group=run_log.group())

    def waiting(self) -> Found:
        """Returns it with what it waits for, if it waits. It reads only if the run may wait."""
        (shown,) = waiting_runs.shown([self.run], clock.now_ms())
        return replace(self, run=shown)


def find(run_id: str) -> Found:
    """Reads a run of this tenant in one call, or in two if its spec was edited since."""
    try:
        row = run_row.row_key(run_id)
    except ValueError:
        raise not_found("run of that id") from None
    beside = side_item.key(row["task_id"], row["scheduled_for"])
    found = table_reads.get_many(
        {run_row.TABLE: [row, beside], task_spec.TABLE: [task_spec.spec_key(row["task_id"])]}
    )
    items = table_reads.by_key(found[run_row.TABLE], "scheduled_for")
    item = items.get((row["scheduled_for"],))
    run = run_row.readable(item) if item else None
    if run is None or run.tenant_id != tenant() or not found[task_spec.TABLE]:
        raise not_found("run of that id")
    task = task_spec.parse(found[task_spec.TABLE][0])
    own = side_item.parse(items.get((beside["scheduled_for"],)))
    return Found(run, task, shown(run, task, own))


def shown(run: Run, task: Task, own: Own) -> Sent:
    """Returns what a run got as it is shown: with its payload, wherever that is stored."""
    sent = run_inputs.sent(run, task, own)
    return replace(sent, payload=None if run.purged_ms else at_hand(sent.payload))
