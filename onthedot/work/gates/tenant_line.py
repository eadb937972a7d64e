"""Keeps the line of a tenant whose permits are all taken. Runs join it; ended runs call it.

An entry promises nothing: a called run looks for a permit like all others.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice

from onthedot.records.runs import tenant_permits
from onthedot.records.runs.pull import pulled
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.tenant_permits import Quota
from onthedot.store import (
    aws,
    clock,
    conditional_writer,
    ids,
    run_messages,
    stored_runs,
    table_reads,
)
from onthedot.store.access import tenant_bounds

PAGE = 100
_TRIES = 16


def read(tenant_id: str) -> Quota:
    """Reads a tenant's limit and its permits."""
    place = ("task_id", tenant_permits.partition(tenant_id))
    return tenant_permits.quota(
        tenant_id, table_reads.rows(place, "scheduled_for", tenant_permits.PERMITS)
    )


def entries(tenant_id: str, most: int) -> list[table_reads.Item]:
    """Returns the first `most` entries of the line, by their due times."""
    place = ("task_id", tenant_permits.partition(tenant_id))
    most = min(most, PAGE)
    return list(
        islice(table_reads.rows(place, "scheduled_for", tenant_permits.LINE, page=most), most)
    )


def join(waiting: Iterable[Run]) -> None:
    """Puts runs into the line. Runs that outside workers fetch need no call."""
    now_ms = clock.now_ms()
    items = [
        tenant_permits.entry(run, ids.token(), now_ms) for run in waiting if not pulled(run.queue)
    ]
    aws.in_parallel(partial(table_reads.put, tenant_permits.TABLE), items)


def call(tenant_id: str, most: int) -> None:
    """Calls up to `most` runs of the line, the longest due first, as far as there are permits."""
    line = entries(tenant_id, most)
    if not line:
        return
    seen = read(tenant_id)
    left = min(most, len(seen.free(clock.now_ms()))) if seen.most else most
    for _ in range(_TRIES):
        # A run that left the line, or does not wait, gives its turn to the next.
        left -= _call_first(line[:left])
        line = entries(tenant_id, left) if left else []
        if not line:
            return


def _call_first(line: Sequence[table_reads.Item]) -> int:
    """Returns how many of them wait and are due."""
    now_ms = clock.now_ms()
    rows = stored_runs.named(dict.fromkeys(tenant_permits.named(item) for item in line))
    called = [run for run in rows.values() if tenant_permits.waits(run, now_ms)]
    run_messages.wake(called)
    # First the message: a run without entry and message would wait for the audit.
    aws.in_parallel(conditional_writer.delete_one, [tenant_permits.struck(item) for item in line])
    return sum(run.life.due_ms <= now_ms for run in called)


def limits(tenant_ids: Iterable[str]) -> dict[str, table_reads.Item]:
    """Reads the limits of each tenant's runs. A tenant without an item has none."""
    keys = {tenant_permits.partition(tenant_id): tenant_id for tenant_id in tenant_ids}
    wanted = [tenant_permits.limit_key(tenant_id) for tenant_id in keys.values()]
    found = table_reads.get_all(tenant_permits.TABLE, wanted)
    return {keys[item["task_id"]]: item for item in found}


def set_limit(tenant_id: str, most: int | None) -> None:
    """Sets a limit or removes it, and calls the runs that may start by it."""
    tenant_bounds.set_most(tenant_id, most or 0)
    call(tenant_id, tenant_permits.MOST)
