"""Not fired: the index is asked itself, apart from dispatch, what has been due for too long."""

from __future__ import annotations

from onthedot.adapters import aws, clock, tables
from onthedot.core.instants import nominal
from onthedot.core.keys import SHARDS
from onthedot.core.numbers import LATE_SEC

EVERY_MIN = 5


def not_fired() -> dict[str, int]:
    """Count tasks whose slot is by definition not fired; asked every five minutes."""
    now_ms = clock.now_ms()
    if now_ms // 60_000 % EVERY_MIN:
        return {}
    before = nominal(now_ms // 1000 - LATE_SEC)
    pages = aws.in_parallel(lambda shard: tables.due_page(shard, ("0", before)), range(SHARDS))
    return {"not_fired": sum(len(items) for items, _ in pages)}
