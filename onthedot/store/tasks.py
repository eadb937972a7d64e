"""Reads a task before it is written: both of its items, consistently."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from onthedot.records.tasks import payloads, task_cursor, task_spec
from onthedot.records.tasks.payloads import Away
from onthedot.records.tasks.task_items import Known
from onthedot.schedule.blackouts import Blackout
from onthedot.store import table_reads
from onthedot.store.payloads import at_hand


def read(task_id: str) -> Known | None:
    keys = [task_spec.spec_key(task_id), task_spec.cursor_key(task_id)]
    items = table_reads.by_key(
        table_reads.get_many({task_spec.TABLE: keys})[task_spec.TABLE], "part"
    )
    if len(items) < len(keys):
        return None
    spec, found = items["spec",], items["cursor",]
    task = task_spec.parse(spec)
    said = payloads.written(task.payload)
    if isinstance(task.payload, Away):
        task = replace(task, payload=at_hand(task.payload))
    return Known(task, task_cursor.parse(found, task.closed), "due_shard" in found, payload=said)


def blackouts(task_ids: Sequence[str]) -> dict[str, Sequence[Blackout]]:
    """Reads what the calendars of some tasks exclude, a hundred in a call."""
    keys = [task_spec.spec_key(task_id) for task_id in task_ids]
    specs = table_reads.get_many({task_spec.TABLE: keys})[task_spec.TABLE]
    return {spec["task_id"]: spec.get("blackouts", ()) for spec in specs}
