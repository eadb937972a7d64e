"""Once: a step of a run has its effect, is recorded, and is not had again by a later attempt."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from onthedot.records.runs import steps
from onthedot.store import clock, patience, table_reads


@dataclass(frozen=True, slots=True)
class Kept:
    """What is recorded of a step."""

    value: Any


def once(run_id: str, step: str, effect: Callable[[], Any]) -> Any:
    """Give the recorded value; where there is none, have the effect, then record it.

    A crash between the two repeats the effect; the other order would lose it.
    """
    kept = recorded(run_id, step) or record(run_id, step, effect())
    return kept.value


def recorded(run_id: str, step: str) -> Kept | None:
    """Look a step's value up."""
    item = table_reads.get(steps.TABLE, steps.key(run_id, step))
    return Kept(json.loads(item["value"])) if item else None


def record(run_id: str, step: str, value: Any) -> Kept:
    """Keep a step's value; another attempt's that was first is what all of them give."""
    patience.surely([steps.record(run_id, step, value, now_ms=clock.now_ms())])
    kept = recorded(run_id, step)
    if kept is None:
        raise LookupError(f"the record of {run_id}'s step '{step}' has gone")
    return kept
