"""What of a run's payload its target is to be given: fetched, and its templates filled in."""

from __future__ import annotations

import json
from typing import Any

from onthedot.records.keys import is_slot_key, row_of
from onthedot.records.tasks.payloads import ASIDE, Away
from tests.simulation.stage import Delivery, Stage

_LITERAL, _MARK = "{{{{", "\0"


def given(stage: Stage, payload: Any, told: Delivery) -> Any:
    """By the words of docs/targets.md, apart from our own templates."""
    if isinstance(payload, Away):
        ever = stage.world.bucket.ever
        kept = ever.get(payload.key) or ever.get(ASIDE + payload.key)
        payload = json.loads(kept) if kept else None
    return _filled(payload, _fields(stage, told))


def _fields(stage: Stage, told: Delivery) -> dict[str, str]:
    task_id, key = row_of(told.run_id)
    row = stage.rows().get(told.run_id)
    slot = key if is_slot_key(key) else row.slot or "" if row else ""
    name = next((task.name for task in stage.tasks if task.task_id == task_id), "")
    return {
        "run_id": told.run_id,
        "attempt": str(told.attempt),
        "task_id": task_id,
        "name": name,
        "scheduled_for": slot,
    }


def _filled(value: Any, fields: dict[str, str]) -> Any:
    if isinstance(value, dict):
        return {name: _filled(inner, fields) for name, inner in value.items()}
    if isinstance(value, list | tuple):
        return [_filled(inner, fields) for inner in value]
    if not isinstance(value, str) or "{{" not in value:
        return value
    text = value.replace(_LITERAL, _MARK)
    for name, said in fields.items():
        text = text.replace(f"{{{{{name}}}}}", said)
    return text.replace(_MARK, "{{")
