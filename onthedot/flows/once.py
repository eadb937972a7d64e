"""Once: a step of a run has its effect, is recorded, and is not had again by a later attempt."""

from __future__ import annotations

import json
from collections.abc import Callable
from typing import Any

from onthedot.adapters import claims, clock, tables
from onthedot.core import once as steps


def once(run_id: str, step: str, effect: Callable[[], Any]) -> Any:  # noqa: ANN401 any JSON
    """Give the recorded value; where there is none, have the effect, then record it.

    A crash between the two repeats the effect; the other order would lose it.
    """
    key = steps.key(run_id, step)
    kept = tables.get(steps.TABLE, key)
    if kept is None:
        mine = steps.record(run_id, step, effect(), now_ms=clock.now_ms())
        claims.write_surely([mine])
        # Another attempt may have been first: what is recorded is what all of them give.
        kept = tables.get(steps.TABLE, key)
    if kept is None:
        raise LookupError(f"the record of {run_id}'s step '{step}' has gone")
    return json.loads(kept["value"])
