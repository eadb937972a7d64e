"""The list of runs that a dispatch may claim: the third receipt, written before the first claim."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

from onthedot.records.keys import instant_ms, manifest_key, recent_key, row_of
from onthedot.records.runs.run_row import Run
from onthedot.schedule.time.instants import nominal
from onthedot.schedule.time.moments import moment

TABLE = "runs"
KEPT_SEC = 3 * 86_400
RECENT_KEPT_SEC = 2 * 3_600
# The audit first looks at a run this long after its due time.
OVERDUE_SEC = 20
_ENTRIES_MAX = 8_000
_MINUTE_MS = 60_000


class Entry(NamedTuple):
    """A run's id, the version it was claimed under, its tenant, and when it is due."""

    run_id: str
    tv: int
    tenant_id: str
    # Counted from the instant that its key names: jitter, or what it stands for of the past.
    after_ms: int = 0

    @property
    def due_ms(self) -> int:
        """When it is due."""
        return instant_ms(row_of(self.run_id)[1]) + self.after_ms

    def due_at(self, due_ms: int) -> Entry:
        """List it as due at another time."""
        return self._replace(after_ms=self.after_ms + due_ms - self.due_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Runs to be looked at in the partition's minute; first listed at `since_ms`."""

    partition: str
    sort: str
    since_ms: int
    # How often it was carried on: the audit asks less and less often.
    carried: int
    entries: tuple[Entry, ...]

    def item(self) -> dict[str, Any]:
        """Write the item: run ids are random, so packing them is a matter of plain compression."""
        after = [each.after_ms for each in self.entries]
        # Most runs are due when their keys say.
        kept = {"after": _packed(after)} if any(after) else {}
        return {
            **kept,
            "task_id": self.partition,
            "scheduled_for": self.sort,
            "entries": _packed([each[:3] for each in self.entries]),
            "count": len(self.entries),
            "since_ms": self.since_ms,
            "carried": self.carried,
            "expires_at": self._minute_sec() + KEPT_SEC,
        }

    def _minute_sec(self) -> int:
        """The minute that it is to be looked at: a run may be open, or far ahead, for weeks."""
        return instant_ms(f"{self.partition.split('#')[1]}Z") // 1000


def entry(run: Run) -> Entry:
    """List a run."""
    after_ms = run.life.due_first_ms - instant_ms(run.key)
    return Entry(run.run_id, run.life.tv, run.tenant_id, after_ms)


def listing(
    dispatch_id: str, entries: Sequence[Entry], *, now_ms: int, earlier: int = 0
) -> list[Manifest]:
    """List what is about to be claimed, behind so many lists of the same dispatch.

    One that had the key of an earlier one would take its place. Each run lies in the first minute
    that begins when it is overdue, so that a lost message alone makes no slot late.
    """
    lists: list[Manifest] = []
    for check_ms, of_minute in groupby(sorted(entries, key=_due), partial(_check_ms, now_ms)):
        found = tuple(of_minute)
        for first in range(0, len(found), _ENTRIES_MAX):
            part = Manifest(
                partition=manifest_key(check_ms, dispatch_id),
                sort=f"{dispatch_id}#{earlier + len(lists):02}",
                since_ms=now_ms,
                carried=0,
                entries=found[first : first + _ENTRIES_MAX],
            )
            lists.append(part)
    return lists


def _check_ms(now_ms: int, listed: Entry) -> int:
    """When a run is to be looked at: the first whole minute at which it is overdue."""
    overdue_ms = max(now_ms, listed.due_ms) + OVERDUE_SEC * 1000
    return -(-overdue_ms // _MINUTE_MS) * _MINUTE_MS


def parse(item: Mapping[str, Any]) -> Manifest:
    """Read a manifest."""
    entries = [Entry(*each) for each in _unpacked(item["entries"])]
    if "after" in item:
        after = zip(entries, _unpacked(item["after"]), strict=True)
        entries = [each._replace(after_ms=after_ms) for each, after_ms in after]
    return Manifest(
        partition=item["task_id"],
        sort=item["scheduled_for"],
        since_ms=item["since_ms"],
        carried=item["carried"],
        entries=tuple(entries),
    )


def carried(source: Manifest, entries: Sequence[Entry], check_sec: int) -> Manifest:
    """Put what is still open before a later minute; the key follows from the source's."""
    return Manifest(
        partition=f"check#{nominal(check_sec)[:16]}#{source.partition.rsplit('#', 1)[1]}",
        sort=f"{source.sort}+",
        since_ms=source.since_ms,
        carried=source.carried + 1,
        entries=tuple(entries),
    )


def recent(source: Manifest, entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Keep them among what happened lately, by the minute they were due: lists are read from there.

    The key of each item begins with the newest time in it.
    """
    items = []
    for _, due in groupby(sorted(entries, key=_due), key=_minute):
        of_minute = tuple(due)
        newest = moment(of_minute[-1].due_ms) or ""
        kept = replace(
            source, partition=recent_key(newest), sort=f"{newest}#{source.sort}", entries=of_minute
        )
        items.append(kept.item() | {"expires_at": source.since_ms // 1000 + RECENT_KEPT_SEC})
    return items


def newest_ms(item_sort: str) -> int:
    """Tell when the newest of a recent item is due, or before when, by the former version's key."""
    return instant_ms(f"{item_sort.partition('#')[0].removesuffix('Z')}Z")


def _due(entry: Entry) -> int:
    return entry.due_ms


def _minute(entry: Entry) -> int:
    return entry.due_ms // _MINUTE_MS


def _packed(values: Sequence[Any]) -> bytes:
    return zlib.compress(json.dumps(values, separators=(",", ":")).encode())


def _unpacked(stored: bytes) -> list[Any]:
    found: list[Any] = json.loads(zlib.decompress(stored))
    return found
