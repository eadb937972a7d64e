"""The list of runs that a dispatch may claim: the third receipt, written before the first claim."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from onthedot.core.instants import nominal
from onthedot.core.keys import manifest_key, recent_key
from onthedot.core.run import Run

TABLE = "runs"
KEPT_SEC = 3 * 86_400
RECENT_KEPT_SEC = 2 * 3_600
CHECK_AFTER_SEC = 60
_ENTRIES_MAX = 8_000
Entry = tuple[str, int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Runs to be looked at in the partition's minute; first listed at `since_ms`.

    Each entry is a run's id, the version it was claimed under, and its tenant.
    """

    partition: str
    sort: str
    since_ms: int
    # How often it was carried on: the audit asks less and less often.
    carried: int
    entries: tuple[Entry, ...]

    def item(self) -> dict[str, Any]:
        """Write the item: run ids are random, so packing them is a matter of plain compression."""
        text = json.dumps([list(entry) for entry in self.entries], separators=(",", ":"))
        return {
            "task_id": self.partition,
            "scheduled_for": self.sort,
            "entries": zlib.compress(text.encode()),
            "count": len(self.entries),
            "since_ms": self.since_ms,
            "carried": self.carried,
            "expires_at": self.since_ms // 1000 + KEPT_SEC,
        }


def entry(run: Run) -> Entry:
    """List a run."""
    return run.run_id, run.life.tv, run.tenant_id


def listing(
    dispatch_id: str, entries: Sequence[Entry], *, now_ms: int, latest_ms: int, earlier: int = 0
) -> list[Manifest]:
    """List what is about to be claimed, behind so many lists of the same dispatch.

    One that had the key of an earlier one would take its place.
    """
    check_ms = max(now_ms, latest_ms) + CHECK_AFTER_SEC * 1000
    return [
        Manifest(
            partition=manifest_key(check_ms, dispatch_id),
            sort=f"{dispatch_id}#{earlier + first // _ENTRIES_MAX:02}",
            since_ms=now_ms,
            carried=0,
            entries=tuple(entries[first : first + _ENTRIES_MAX]),
        )
        for first in range(0, len(entries), _ENTRIES_MAX)
    ]


def parse(item: Mapping[str, Any]) -> Manifest:
    """Read a manifest."""
    return Manifest(
        partition=item["task_id"],
        sort=item["scheduled_for"],
        since_ms=item["since_ms"],
        carried=item["carried"],
        entries=tuple(
            (run_id, tv, tenant)
            for run_id, tv, tenant in json.loads(zlib.decompress(item["entries"]))
        ),
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


def recent(source: Manifest) -> dict[str, Any]:
    """Keep it among what happened lately: lists of recent runs are read from there."""
    minute = source.partition.split("#")[1]
    kept = {"scheduled_for": f"{minute}#{source.sort}", "task_id": recent_key(minute)}
    return source.item() | kept | {"expires_at": source.since_ms // 1000 + RECENT_KEPT_SEC}
