"""Many runs by their keys, each with its task, in one call for fifty."""

from __future__ import annotations

from collections.abc import Sequence

from onthedot.adapters import clock, tables
from onthedot.api.asking import tenant
from onthedot.core import run as runs
from onthedot.core import task as tasks
from onthedot.core.run import Run
from onthedot.core.task import Task
from onthedot.flows import waiting


def read(keys: Sequence[dict[str, str]]) -> list[tuple[Run, Task]]:
    """Give this tenant's, in that order, as they are to be shown, those that wait as waiting.

    A run whose task is forgotten is forgotten, too. One that is named twice is given once: an edit
    that moved when it is due has listed it again.
    """
    if not keys:
        return []
    keys = list({(key["task_id"], key["scheduled_for"]): key for key in keys}.values())
    specs = [tasks.spec_key(task_id) for task_id in dict.fromkeys(key["task_id"] for key in keys)]
    found = tables.get_many({runs.TABLE: keys, tasks.TABLE: specs})
    parsed = map(tasks.readable, found[tasks.TABLE])
    known = {task.task_id: task for task in parsed if task}
    rows = tables.by_key(found[runs.TABLE], "task_id", "scheduled_for")
    places = [(key["task_id"], key["scheduled_for"]) for key in keys]
    read_ones = [runs.readable(rows[place]) for place in places if place in rows]
    own = [run for run in read_ones if run and run.task_id in known and run.tenant_id == tenant()]
    return [(run, known[run.task_id]) for run in waiting.shown(own, clock.now_ms())]
