"""Lists recent runs. The manifests are the index by time, so runs need none."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from onthedot.records.keys import manifest_keys, recent_key
from onthedot.records.runs import manifest
from onthedot.records.runs.manifest import Entry, Manifest
from onthedot.schedule.time.instants import moment, nominal
from onthedot.store import aws, clock, table_pages, table_reads
from onthedot.upkeep import tallies
from onthedot.upkeep.recent_order import Merge, Place, end_of_minute

BACK_MIN = 60
# Minutes. A dispatch lists what is due in 150 s for a check 20 s later, on the minute.
_AHEAD_MIN, _BEHIND_MIN = 4, 1
# Items of a first query. Each further one reads twice as many, up to what an answer holds.
_PAGE, _PAGE_MAX = 8, 1_024
# Queries of one walk. After these it ends early, but never where it began.
QUERIES_MAX = 16
_MINUTE_SEC, _HOUR_MS = 60, 3_600_000
# Sorts after any run's id and has its form, so a cursor may hold it.
LAST_ID = "zzz.99991231T235959Z"


@dataclass(slots=True)
class Walk:
    """One walk over a tenant's runs of the last hour, newest first."""

    merge: Merge
    begun_ms: int
    # Whether to read what the audit has not sorted. Only a first page usually needs it.
    unsorted: bool = True
    # Where it ended early.
    cut: Place | None = None
    _queries: int = 0

    @classmethod
    def between(cls, tenant_id: str, first_ms: int, last_ms: int) -> Walk:
        """Begins at the end of a stretch of time."""
        merge = Merge(tenant_id, first_ms, before=Place(last_ms, LAST_ID))
        # What the audit has sorted is never in the future.
        return cls(merge, end_of_minute(min(last_ms, clock.now_ms())))

    def behind(self, place: Place, newest_ms: int, *, unsorted: bool) -> Walk:
        """Continues after a place, as stored there, within the walk's own end."""
        self.unsorted = unsorted
        self.merge.before = min(place, self.merge.before)
        self.begun_ms = min(newest_ms, self.begun_ms)
        return self

    def places(self) -> Iterator[Place]:
        """Reads first what the audit has not sorted: the audit puts before it deletes."""
        if self.unsorted:
            self.merge.add(_unsorted())
        for newest_ms, source in self._sorted():
            yield from self.merge.ready(newest_ms)
            if self._queries > QUERIES_MAX and newest_ms < self.begun_ms:
                self.cut = Place(newest_ms, LAST_ID)
                return
            self.merge.add(source.entries, newest_ms)
        yield from self.merge.rest()

    def _sorted(self) -> Iterator[tuple[int, Manifest]]:
        """Reads hour by hour. Most pages end in the first hour."""
        first_ms = self.merge.first_ms
        between = nominal(first_ms // 1000)[:16], f"{moment(self.begun_ms)}~"
        size = _PAGE
        for hour in range(self.begun_ms // _HOUR_MS, first_ms // _HOUR_MS - 1, -1):
            partition, start = recent_key(nominal(hour * _HOUR_MS // 1000)), None
            while True:
                self._queries += 1
                page = table_pages.runs(
                    partition, between, limit=size, start=start, consistent=True
                )
                for item in page.items:
                    yield manifest.newest_ms(item["scheduled_for"]), manifest.parse(item)
                start, size = page.last, min(2 * size, _PAGE_MAX)
                if start is None:
                    break


def _unsorted() -> Iterator[Entry]:
    """Reads what the audit has not checked yet: a few minutes, or all since it stands still."""
    now = clock.now_ms() // 60_000 * 60
    oldest = now - BACK_MIN * _MINUTE_SEC
    # An audit may need the next minute too before it says that it is done.
    audited = (tallies.newest() or oldest) - _MINUTE_SEC
    first = max(oldest, min(audited, now - _BEHIND_MIN * _MINUTE_SEC))
    minutes = range(first, now + _AHEAD_MIN * _MINUTE_SEC + 1, _MINUTE_SEC)
    partitions = [key for minute in minutes for key in manifest_keys(minute)]
    for of_partition in aws.in_parallel(_of_partition, partitions):
        yield from of_partition


def _of_partition(partition: str) -> list[Entry]:
    items = table_reads.rows(("task_id", partition), "scheduled_for", ("0", "~"))
    sources = [source for source in map(manifest.parse, items) if not source.carried]
    return [each for source in sources for each in source.entries]
