"""Counts unfired tasks: it asks the index itself, independent of dispatch."""

from __future__ import annotations

from onthedot.records.keys import SHARDS
from onthedot.records.timings import LATE_SEC
from onthedot.schedule.time.instants import nominal
from onthedot.store import aws, clock, table_reads

EVERY_MIN = 5


def not_fired() -> dict[str, int]:
    """Counts tasks that have been due for too long. It reads every five minutes."""
    now_ms = clock.now_ms()
    if now_ms // 60_000 % EVERY_MIN:
        return {}
    before = nominal(now_ms // 1000 - LATE_SEC)
    pages = aws.in_parallel(lambda shard: table_reads.due_page(shard, ("0", before)), range(SHARDS))
    return {"not_fired": sum(len(items) for items, _ in pages)}
