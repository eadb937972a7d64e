"""Shows runs with what they wait for. One more call is enough if some are due and not started.

Runs that outside workers fetch need another call if their tenant has a quota.
"""

from __future__ import annotations

from collections.abc import Sequence

from onthedot.records.runs import run_row
from onthedot.records.runs.run_row import Run
from onthedot.store import table_reads
from onthedot.work.gates import tenant_quota, wait_reasons


def shown(seen: Sequence[Run], now_ms: int) -> list[Run]:
    """Returns the runs in their order. Those that wait show what for."""
    asked = {tuple(key.items()): key for run in seen for key in wait_reasons.asks(run, now_ms)}
    if not asked:
        return list(seen)
    items = table_reads.get_all(run_row.TABLE, asked.values())
    found = table_reads.by_key(items, "task_id", "scheduled_for")
    full = [tenant for tenant in wait_reasons.bounded(found) if tenant_quota.all_taken(tenant)]
    return [wait_reasons.shown(run, found, full, now_ms) for run in seen]
