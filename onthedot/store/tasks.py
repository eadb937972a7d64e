"""Reads tasks by their ids: the spec, the cursor, or both items before a write."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from onthedot.records.tasks import payloads, task_cursor, task_spec
from onthedot.records.tasks.payloads import Away
from onthedot.records.tasks.task_cursor import Due
from onthedot.records.tasks.task_items import Known
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.blackouts import Blackout
from onthedot.store import table_reads
from onthedot.store.payloads import at_hand


def read(task_id: str) -> Known | None:
    """Reads both items of a task, consistently, and its payload. None: it does not exist."""
    keys = [task_spec.spec_key(task_id), task_spec.cursor_key(task_id)]
    items = table_reads.by_key(table_reads.get_all(task_spec.TABLE, keys), "part")
    if len(items) < len(keys):
        return None
    spec, found = items["spec",], items["cursor",]
    task = task_spec.parse(spec)
    said = payloads.written(task.payload)
    if isinstance(task.payload, Away):
        task = replace(task, payload=at_hand(task.payload))
    return Known(task, task_cursor.parse(found, task.closed), "due_shard" in found, payload=said)


def specs(task_ids: Iterable[str]) -> dict[str, table_reads.Item]:
    """Reads the specs of tasks as they are stored, a hundred in a call. Missing ones are omitted.

    For callers that need a few fields, also of a spec that this version cannot read.
    """
    keys = [task_spec.spec_key(task_id) for task_id in dict.fromkeys(task_ids)]
    return {item["task_id"]: item for item in table_reads.get_all(task_spec.TABLE, keys)}


def blackouts(task_ids: Iterable[str]) -> dict[str, Sequence[Blackout]]:
    """Reads what the calendars of some tasks exclude."""
    return {task_id: spec.get("blackouts", ()) for task_id, spec in specs(task_ids).items()}


def of(task_ids: Iterable[str]) -> dict[str, Task]:
    """Reads tasks. Those that are missing, or that this version cannot read, are left out."""
    found = {task_id: task_spec.readable(spec) for task_id, spec in specs(task_ids).items()}
    return {task_id: task for task_id, task in found.items() if task}


def readable(task_id: str) -> Task | None:
    """Reads one task. None: it is missing, or this version cannot read it."""
    spec = table_reads.get(task_spec.TABLE, task_spec.spec_key(task_id))
    return task_spec.readable(spec) if spec else None


def cursor(task_id: str) -> Due | None:
    """Reads the cursor of a task. None: it is missing. One that is unreadable raises."""
    item = table_reads.get(task_spec.TABLE, task_spec.cursor_key(task_id))
    return task_cursor.parse(item) if item else None
