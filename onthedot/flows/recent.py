"""What happened lately: the manifests are its index by time, so that runs need none."""

from __future__ import annotations

from collections.abc import Iterator
from heapq import merge
from itertools import chain, groupby, islice

from onthedot.adapters import aws, clock, tables
from onthedot.core import manifest
from onthedot.core.instants import nominal, parse_nominal
from onthedot.core.keys import recent_keys, row_of
from onthedot.core.manifest import Manifest

BACK_MIN = 60
# A dispatch lists what is due in 150 seconds to be looked at 60 seconds later.
_AHEAD_MIN = 4
_PAGE = 8
_HOUR_SEC = 3_600
# The minute that a run is listed in, the key of its row, its id: newest first by all three.
Place = tuple[str, str, str]


def places(tenant_id: str, before: Place | None) -> Iterator[Place]:
    """Walk a tenant's runs of the last hour, newest first, from behind a place on."""
    for minute, listed in groupby(_newest_first(before), key=_minute):
        found = {
            (minute, row_of(run_id)[1], run_id)
            for source in listed
            for run_id, _, of in source.entries
            if of == tenant_id
        }
        yield from (place for place in sorted(found, reverse=True) if not before or place < before)


def _newest_first(before: Place | None) -> Iterator[Manifest]:
    """Ask hour by hour: most pages end in the first."""
    now = clock.now_ms() // 60_000 * 60
    first = now - BACK_MIN * 60
    last = parse_nominal(f"{before[0]}:00Z") if before else now + _AHEAD_MIN * 60
    between = nominal(first)[:16], f"{nominal(last)[:16]}~"
    for hour in range(last // _HOUR_SEC, first // _HOUR_SEC - 1, -1):
        asked = [(partition, between) for partition in recent_keys(hour * _HOUR_SEC)]
        yield from merge(*aws.in_parallel(_begun, asked), key=_minute, reverse=True)


def _begun(asked: tuple[str, tuple[str, str]]) -> Iterator[Manifest]:
    """Ask a partition for its first page; for the next ones as they are needed."""
    partition, between = asked
    items = tables.rows(
        ("task_id", partition),
        "scheduled_for",
        between,
        newest_first=True,
        page=_PAGE,
    )
    return map(manifest.parse, chain(list(islice(items, 1)), items))


def _minute(source: Manifest) -> str:
    return source.sort[:16]
