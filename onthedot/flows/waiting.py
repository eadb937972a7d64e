"""Waiting: runs as they are to be shown, in one call more where some are due and not started.

In one more again for those that outside workers fetch, where their tenant has a quota.
"""

from __future__ import annotations

from collections.abc import Sequence

from onthedot.adapters import tables
from onthedot.core import run as runs
from onthedot.core import waiting
from onthedot.core.run import Run
from onthedot.flows import permits


def shown(seen: Sequence[Run], now_ms: int) -> list[Run]:
    """Give them in their order, those that wait with what for."""
    asked = {tuple(key.items()): key for run in seen for key in waiting.asks(run, now_ms)}
    if not asked:
        return list(seen)
    items = tables.get_many({runs.TABLE: list(asked.values())})[runs.TABLE]
    found = tables.by_key(items, "task_id", "scheduled_for")
    full = [tenant for tenant in waiting.bounded(found) if permits.all_taken(tenant)]
    return [waiting.shown(run, found, full, now_ms) for run in seen]
