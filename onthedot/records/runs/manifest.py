"""Lists the runs that a dispatch may claim, written before the first claim."""

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
from onthedot.schedule.time.instants import moment, nominal

TABLE = "runs"
KEPT_SEC = 3 * 86_400
RECENT_KEPT_SEC = 2 * 3_600
# Seconds after its due time at which the audit first looks at a run.
OVERDUE_SEC = 20
_ENTRIES_MAX = 8_000
_MINUTE_MS = 60_000


class Entry(NamedTuple):
    """A run's id, the version it was claimed under, its tenant, and when it is due."""

    run_id: str
    tv: int
    tenant_id: str
    # Milliseconds after the instant in the run's key: jitter, or the delay of a past slot.
    after_ms: int = 0

    @property
    def due_ms(self) -> int:
        """Returns when it is due."""
        return instant_ms(row_of(self.run_id)[1]) + self.after_ms

    def due_at(self, due_ms: int) -> Entry:
        """Lists it with another due time."""
        return self._replace(after_ms=self.after_ms + due_ms - self.due_ms)


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Runs to check in the partition's minute. `since_ms` is when they were first listed."""

    partition: str
    sort: str
    since_ms: int
    # How often it was moved to a later minute. The audit checks less and less often.
    carried: int
    entries: tuple[Entry, ...]

    def item(self) -> dict[str, Any]:
        """Writes the item. Run ids are random, so plain compression packs them well."""
        after = [each.after_ms for each in self.entries]
        # Most runs are due at the time in their keys.
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
        """Returns the minute of the check. A run may stay open, or be due, weeks ahead."""
        return instant_ms(f"{self.partition.split('#')[1]}Z") // 1000


def entry(run: Run) -> Entry:
    after_ms = run.life.due_first_ms - instant_ms(run.key)
    return Entry(run.run_id, run.life.tv, run.tenant_id, after_ms)


def listing(
    dispatch_id: str, entries: Sequence[Entry], *, now_ms: int, earlier: int = 0
) -> list[Manifest]:
    """Lists what is about to be claimed, after `earlier` lists of the same dispatch.

    The numbers keep the keys of a dispatch's lists apart. Each run is in the first minute that
    begins when it is overdue, so that a lost message alone makes no slot late.
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
    """Returns when to look at a run: the first whole minute at which it is overdue."""
    overdue_ms = max(now_ms, listed.due_ms) + OVERDUE_SEC * 1000
    return -(-overdue_ms // _MINUTE_MS) * _MINUTE_MS


def parse(item: Mapping[str, Any]) -> Manifest:
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
    """Moves the runs that are still open to a later minute. The key follows from the source's."""
    return Manifest(
        partition=f"check#{nominal(check_sec)[:16]}#{source.partition.rsplit('#', 1)[1]}",
        sort=f"{source.sort}+",
        since_ms=source.since_ms,
        carried=source.carried + 1,
        entries=tuple(entries),
    )


def recent(source: Manifest, entries: Sequence[Entry]) -> list[dict[str, Any]]:
    """Keeps the entries by the minute in which they were due. Lists of recent runs read them.

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
    """Returns when the newest run of a recent item is due. By a former key it is an upper bound."""
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
