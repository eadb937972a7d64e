"""Counts a tenant's tasks again: tasks that have run take no room, but do not report it.

It is done when the quota would refuse, and at most once a minute.
"""

from __future__ import annotations

from onthedot.records.access.api_key import TABLE, TASKS_MAX, tenant_key
from onthedot.schedule.time.instants import nominal
from onthedot.store import clock, table_pages, table_reads
from onthedot.store.access import access_table

AGAIN_MS = 60_000
# Seconds. A task that was due before that has run, or is one of the few that still retry.
OVER_SEC = 86_400


def recount(tenant_id: str) -> bool:
    """Corrects what the tenant has left. False: that was just done.

    Below zero after its limit was lowered: that many tasks must end before there is room.
    """
    item = table_reads.get(TABLE, tenant_key(tenant_id)) or {}
    now_ms = clock.now_ms()
    if now_ms - item.get("recounted_ms", 0) < AGAIN_MS:
        return False
    since = nominal(now_ms // 1000 - OVER_SEC)
    counted = table_pages.count(f"{tenant_id}#s") + table_pages.count(f"{tenant_id}#t", since=since)
    left = item.get("tasks_max", TASKS_MAX) - counted
    access_table.recounted(tenant_id, seen=item.get("tasks_left"), left=left, now_ms=now_ms)
    return True
