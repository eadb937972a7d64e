"""Puts aside large payloads that nothing names. Each hour continues where the last stopped.

What is put aside is still found for some weeks, and comes back if it is named again.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from math import inf

from onthedot.records.keys import item_key
from onthedot.records.tasks import kept_versions, payloads
from onthedot.records.tasks.payloads import ASIDE, Away, written
from onthedot.records.tasks.task_spec import TABLE as TASKS
from onthedot.store import blobs, clock, table_reads

TABLE = "runs"
_PLACE = item_key("sweep", "-")
_MINUTE = 7
# Milliseconds. An object is put before the item that names it, in a call of seconds.
_YOUNG_MS = 86_400_000


def step(work_sec: float = inf) -> None:
    """Sweeps the bucket for a while, once an hour."""
    if clock.now_ms() // 60_000 % 60 != _MINUTE:
        return
    over = clock.monotonic() + work_sec
    after: str = (table_reads.get(TABLE, _PLACE) or {}).get("after", "")
    while clock.monotonic() < over:
        page = blobs.listed(after)
        old = clock.now_ms() - _YOUNG_MS
        _sort_out([key for key, modified_ms in page if modified_ms < old])
        after = page[-1][0] if page else ""
        if not page:
            break
    table_reads.put(TABLE, {**_PLACE, "after": after})


def _sort_out(keys: Sequence[str]) -> None:
    """Brings back what is named again, and puts aside what is not named."""
    own = {key: key.removeprefix(ASIDE) for key in keys}
    named = _named(own.values())
    for key in keys:
        if own[key] == key and named.get(key) is False:
            blobs.put_aside(key)
        if own[key] != key and named.get(own[key]):
            blobs.bring_back(own[key])


def _named(keys: Iterable[str]) -> dict[str, bool]:
    """Tells of each object whether its item, or a former version of its task, names it.

    Objects that are not ours are left out.
    """
    namers = {key: namer for key in keys if (namer := payloads.namer(key))}
    wanted: dict[str, list[dict[str, str]]] = {}
    for namer in dict.fromkeys(namers.values()):
        wanted.setdefault(namer.table, []).append(namer.key)
    naming = {
        (table, *(item[name] for name in wanted[table][0])): item.get("payload")
        for table, items in table_reads.get_many(wanted).items()
        for item in items
    }
    named = {key: naming.get(namer) == written(Away(key)) for key, namer in namers.items()}
    # Read after the specs: an edit moves a name from its spec to a kept version in one write.
    kept = _kept(namer.task_id for key, namer in namers.items() if namer.of_task and not named[key])
    return {key: one or written(Away(key)) in kept for key, one in named.items()}


def _kept(task_ids: Iterable[str]) -> set[str]:
    """Returns what the former versions of these tasks name."""
    found: set[str] = set()
    for task_id in dict.fromkeys(task_ids):
        items = table_reads.rows(("task_id", task_id), "part", kept_versions.since(0), table=TASKS)
        found.update(item["payload"] for item in items)
    return found
