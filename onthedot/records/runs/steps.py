"""Describes the record of a step's effect: an item put by the first attempt that has it."""

from __future__ import annotations

import json
from typing import Any

from onthedot.records.conditional_writes import Insert
from onthedot.records.keys import item_key, row_of
from onthedot.records.runs.run_writes import HISTORY_SEC

TABLE = "runs"
VALUE_MAX = 32_768
STEP_MAX = 200


def key(run_id: str, step: str) -> dict[str, str]:
    """Returns the record's key. It sorts right behind the run's row."""
    if not 1 <= len(step) <= STEP_MAX:
        raise ValueError(f"a step's key has 1 to {STEP_MAX} characters, this one {len(step)}.")
    task_id, row = row_of(run_id)
    return item_key(task_id, f"{row}^once#{step}")


def written(step: str, value: Any) -> str:  # noqa: ANN401 any JSON
    """Writes a step's value as stored text."""
    try:
        text = json.dumps(value, allow_nan=False)
    except (RecursionError, TypeError, ValueError) as fault:
        raise ValueError(f"once('{step}') gave a value that is not JSON: {fault}") from None
    if len(text) > VALUE_MAX:
        raise ValueError(f"once('{step}') gave {len(text)} characters of JSON: {VALUE_MAX} at most")
    return text


def record(run_id: str, step: str, value: Any, *, now_ms: int) -> Insert:  # noqa: ANN401 any JSON
    """Keeps a value for every later attempt. The first to keep one wins."""
    expires_at = now_ms // 1000 + HISTORY_SEC
    item = {**key(run_id, step), "value": written(step, value), "expires_at": expires_at}
    return Insert(TABLE, item, ("task_id", "scheduled_for"))
