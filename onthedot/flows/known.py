"""A task as it is read before it is written: both of its items, consistently."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from onthedot.adapters import tables
from onthedot.core import due as dues
from onthedot.core import payloads
from onthedot.core import task as tasks
from onthedot.core.blackouts import Blackout
from onthedot.core.registered import Known
from onthedot.flows.payloads import at_hand


def read(task_id: str) -> Known | None:
    keys = [tasks.spec_key(task_id), tasks.cursor_key(task_id)]
    items = tables.by_key(tables.get_many({tasks.TABLE: keys})[tasks.TABLE], "part")
    if len(items) < len(keys):
        return None
    spec, found = items["spec",], items["cursor",]
    task = tasks.parse(spec)
    said = payloads.written(task.payload)
    task = replace(task, payload=at_hand(task.payload))
    return Known(task, dues.parse(found, task.closed), "due_shard" in found, payload=said)


def blackouts(task_ids: Sequence[str]) -> dict[str, Sequence[Blackout]]:
    """Read what the calendars of some tasks exclude, a hundred a call."""
    keys = [tasks.spec_key(task_id) for task_id in task_ids]
    specs = tables.get_many({tasks.TABLE: keys})[tasks.TABLE] if keys else []
    return {spec["task_id"]: spec.get("blackouts", ()) for spec in specs}
