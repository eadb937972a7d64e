"""What happened lately: the manifests are its index by time, so that runs need none."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from itertools import groupby

from onthedot.adapters import aws, clock, tables
from onthedot.core import manifest
from onthedot.core.instants import nominal, parse_nominal
from onthedot.core.keys import manifest_keys, recent_key, row_of
from onthedot.core.manifest import Manifest

BACK_MIN = 60
# A dispatch lists what is due in 150 seconds to be looked at 60 seconds later; the audit may lag.
_AHEAD_MIN, _BEHIND_MIN = 4, 1
_PAGE = 8
_HOUR_SEC = 3_600
# The minute that a run is listed in, the key of its row, its id: newest first by all three.
Place = tuple[str, str, str]


def places(tenant_id: str, before: Place | None) -> Iterator[Place]:
    """Walk a tenant's runs of the last hour, newest first, from behind a place on."""
    for minute, listed in groupby(_minutes(before), key=_minute):
        found = {
            (minute, row_of(run_id)[1], run_id)
            for source in listed
            for run_id, _, of in source.entries
            if of == tenant_id
        }
        yield from (place for place in sorted(found, reverse=True) if not before or place < before)


def _minutes(before: Place | None) -> Iterator[Manifest]:
    now = clock.now_ms() // 60_000 * 60
    first = now - BACK_MIN * 60
    last = parse_nominal(f"{before[0]}:00Z") if before else now + _AHEAD_MIN * 60
    fresh = sorted(_fresh(now, last), key=_minute, reverse=True)
    return merge(fresh, _looked_at(first, last), key=_minute, reverse=True)


def _fresh(now: int, last: int) -> list[Manifest]:
    """Read what the audit has not looked at yet; behind the first pages there is none."""
    minutes = range(now - _BEHIND_MIN * 60, min(now + _AHEAD_MIN * 60, last) + 1, 60)
    partitions = [key for minute in minutes for key in manifest_keys(minute)]
    found = aws.in_parallel(_of_partition, partitions)
    return [source for of_partition in found for source in of_partition]


def _of_partition(partition: str) -> list[Manifest]:
    items = tables.rows(("task_id", partition), "scheduled_for", ("0", "~"))
    return [source for source in map(manifest.parse, items) if not source.carried]


def _looked_at(first: int, last: int) -> Iterator[Manifest]:
    """Read on hour by hour: most pages end in the first."""
    between = nominal(first)[:16], f"{nominal(last)[:16]}~"
    for hour in range(last // _HOUR_SEC, first // _HOUR_SEC - 1, -1):
        of_hour = ("task_id", recent_key(nominal(hour * _HOUR_SEC)))
        items = tables.rows(of_hour, "scheduled_for", between, newest_first=True, page=_PAGE)
        yield from map(manifest.parse, items)


def _minute(source: Manifest) -> str:
    """Tell the minute of a manifest, by its partition or by its key among the recent ones."""
    of = source.sort if source.partition.startswith("recent#") else source.partition.split("#")[1]
    return of[:16]
