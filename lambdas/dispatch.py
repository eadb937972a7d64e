"""Dispatches what is due in a range of shards at each tick. Without a range it means all."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.dispatch.dispatcher import dispatch
from onthedot.records.keys import SHARDS
from onthedot.store import aws, invocation_metrics

aws.prepare("dynamodb", "sqs")


def handler(event: Mapping[str, Any], _context: object) -> dict[str, int]:
    """Handles `{"shards": [first, last]}`, both included, which splits a tick over invocations."""
    first, last = event.get("shards", (0, SHARDS - 1))
    counts = dispatch(range(first, last + 1)).counts
    of_a_tick = "shards" in event
    # Handed over less taken. What is left of the sum was taken by no invocation.
    taken = last + 1 - first if of_a_tick else 0
    unqueried = counts.get("handed_over", 0) - taken
    figures = counts | {"ticks": int(not of_a_tick), "shards_unqueried": unqueried}
    invocation_metrics.emit(invocation_metrics.TICK, figures)
    return figures
