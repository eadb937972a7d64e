"""Reads many runs by their keys, each with its task, in one call for fifty."""

from __future__ import annotations

from collections.abc import Sequence

from onthedot.api.door.request import tenant
from onthedot.records.runs import run_row
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks import task_spec
from onthedot.records.tasks.task_spec import Task
from onthedot.store import clock, table_reads
from onthedot.work.gates import waiting_runs


def read(keys: Sequence[dict[str, str]]) -> list[tuple[Run, Task]]:
    """Returns this tenant's runs in that order as they are shown. Waiting runs show why.

    A run without a task is left out. A run that is named twice comes once: an edit that moved its
    due time has listed it again.
    """
    if not keys:
        return []
    keys = list({(key["task_id"], key["scheduled_for"]): key for key in keys}.values())
    specs = [
        task_spec.spec_key(task_id) for task_id in dict.fromkeys(key["task_id"] for key in keys)
    ]
    found = table_reads.get_many({run_row.TABLE: keys, task_spec.TABLE: specs})
    parsed = map(task_spec.readable, found[task_spec.TABLE])
    known = {task.task_id: task for task in parsed if task}
    rows = table_reads.by_key(found[run_row.TABLE], "task_id", "scheduled_for")
    places = [(key["task_id"], key["scheduled_for"]) for key in keys]
    read_ones = [run_row.readable(rows[place]) for place in places if place in rows]
    own = [run for run in read_ones if run and run.task_id in known and run.tenant_id == tenant()]
    return [(run, known[run.task_id]) for run in waiting_runs.shown(own, clock.now_ms())]
