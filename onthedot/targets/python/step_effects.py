"""Records the effect of a step, so that a later attempt does not repeat it."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from onthedot.records.runs import steps
from onthedot.store import clock, conditional_writer, table_reads


@dataclass(frozen=True, slots=True)
class Kept:
    """What is recorded about a step."""

    value: Any


def once(run_id: str, step: str, effect: Callable[[], Any]) -> Any:
    """Returns the recorded value. If there is none, it calls the effect and records the result.

    A crash between the two repeats the effect. The other order would lose it.
    """
    kept = recorded(run_id, step) or record(run_id, step, effect())
    return kept.value


def recorded(run_id: str, step: str) -> Kept | None:
    """Reads a step's recorded value."""
    item = table_reads.get(steps.TABLE, steps.key(run_id, step))
    return Kept(json.loads(item["value"])) if item else None


def record(run_id: str, step: str, value: Any) -> Kept:
    """Records a step's value. If another attempt was first, all return that attempt's value."""
    conditional_writer.surely([steps.record(run_id, step, value, now_ms=clock.now_ms())])
    kept = recorded(run_id, step)
    if kept is None:
        raise LookupError(f"the record of {run_id}'s step '{step}' has gone")
    return kept
