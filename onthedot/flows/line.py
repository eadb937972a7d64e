"""The line of a tenant whose permits are all taken: joined by who waits, called by who leaves.

An entry is no promise: whoever is called looks for a permit as everybody else does.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from itertools import islice

from onthedot.adapters import aws, bounds, claims, clock, ids, queue, tables
from onthedot.core import quota
from onthedot.core import run as runs
from onthedot.core.errors import BusyError
from onthedot.core.pack import of_run
from onthedot.core.pull import pulled
from onthedot.core.quota import Quota
from onthedot.core.run import Run

PAGE = 100
_TRIES = 16


def read(tenant_id: str) -> Quota:
    """Read a tenant's limit and its permits."""
    place = ("task_id", quota.partition(tenant_id))
    return quota.quota(tenant_id, tables.rows(place, "scheduled_for", quota.PERMITS))


def entries(tenant_id: str, most: int) -> list[tables.Item]:
    """Give so many of the line, who has been due longest first."""
    place = ("task_id", quota.partition(tenant_id))
    most = min(most, PAGE)
    return list(islice(tables.rows(place, "scheduled_for", quota.LINE, page=most), most))


def join(waiting: Iterable[Run]) -> None:
    """Put runs into the line; those that workers fetch are found without a call."""
    now_ms = clock.now_ms()
    items = [quota.entry(run, ids.token(), now_ms) for run in waiting if not pulled(run.queue)]
    aws.in_parallel(partial(tables.put, quota.TABLE), items)


def call(tenant_id: str, most: int) -> None:
    """Send for up to so many of those who have waited longest, as far as there are permits."""
    line = entries(tenant_id, most)
    if not line:
        return
    seen = read(tenant_id)
    left = min(most, len(seen.free(clock.now_ms()))) if seen.most else most
    for _ in range(_TRIES):
        # Who stands there no more, or does not wait, leaves its turn to the next.
        left -= _call_first(line[:left])
        line = entries(tenant_id, left) if left else []
        if not line:
            return


def _call_first(line: Sequence[tables.Item]) -> int:
    """Give how many there were that wait, and are due."""
    now_ms = clock.now_ms()
    rows = _rows(dict.fromkeys(quota.named(item) for item in line))
    called = [run for run in rows.values() if quota.waits(run, now_ms)]
    if unsent := queue.send([(of_run(run, "wake"), 0) for run in called]):
        raise BusyError(f"SQS did not take {len(unsent)} messages that call who waits")
    # The message first: who is in no line, and has none, waits for the audit.
    aws.in_parallel(claims.delete_one, [quota.struck(item) for item in line])
    return sum(run.life.due_ms <= now_ms for run in called)


def _rows(run_ids: Iterable[str]) -> dict[str, Run]:
    keys = [runs.row_key(run_id) for run_id in run_ids]
    found = [runs.readable(item) for item in tables.get_many({runs.TABLE: keys})[runs.TABLE]]
    return {run.run_id: run for run in found if run}


def limits(tenant_ids: Iterable[str]) -> dict[str, tables.Item]:
    """Read what bounds each tenant's runs; a tenant that is not named has no bounds."""
    keys = {quota.partition(tenant_id): tenant_id for tenant_id in tenant_ids}
    wanted = [quota.limit_key(tenant_id) for tenant_id in keys.values()]
    found = tables.get_many({quota.TABLE: wanted})[quota.TABLE]
    return {keys[item["task_id"]]: item for item in found}


def set_limit(tenant_id: str, most: int | None) -> None:
    """Set a limit, or take it away, and call whoever may start by it."""
    bounds.set_most(tenant_id, most or 0)
    call(tenant_id, quota.MOST)
