"""A task as it is read before it is written: both of its items, consistently."""

from __future__ import annotations

from dataclasses import dataclass

from onthedot.adapters import tables
from onthedot.core import due as dues
from onthedot.core import task as tasks
from onthedot.core.due import Due
from onthedot.core.task import Task


@dataclass(frozen=True, slots=True)
class Known:
    """A task as it was read: both of its items."""

    task: Task
    due: Due
    indexed: bool


def read(task_id: str) -> Known | None:
    keys = [tasks.spec_key(task_id), tasks.cursor_key(task_id)]
    items = tables.by_key(tables.get_many({tasks.TABLE: keys})[tasks.TABLE], "part")
    if len(items) < len(keys):
        return None
    spec, found = items["spec",], items["cursor",]
    return Known(tasks.parse(spec), dues.parse(found), "due_shard" in found)
