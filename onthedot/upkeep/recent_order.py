"""One order for the runs of many manifests: by when each is due, however often it is listed."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from onthedot.records.runs.manifest import Entry

_MINUTE_MS = 60_000


class Place(NamedTuple):
    """Where a run stands in the order; two runs never stand in one place."""

    due_ms: int
    run_id: str


@dataclass(slots=True)
class Merge:
    """Gives one tenant's runs, newest first, while what lists them is still being read.

    Those that were due before `first_ms`, or that stand at or above `before`, are left out.
    """

    tenant_id: str
    first_ms: int
    before: Place
    _pending: list[Place] = field(default_factory=list)
    # By the newest time of the items that were read: the last place in them.
    _spans: dict[int, Place] = field(default_factory=dict)
    # The last place that only an item shows that the audit has yet to sort.
    _last_unsorted: Place | None = None

    def add(self, entries: Iterable[Entry], newest_ms: int | None = None) -> None:
        """Take in an item whose newest time is known; what the audit has yet to sort has none."""
        own = (each for each in entries if each.tenant_id == self.tenant_id)
        for place in (Place(each.due_ms, each.run_id) for each in own):
            if place < self.before and place.due_ms >= self.first_ms:
                at = bisect_left(self._pending, place)
                if self._pending[at : at + 1] != [place]:
                    self._pending.insert(at, place)
                newest = newest_ms
                if newest is None:
                    newest = end_of_minute(place.due_ms)
                    self._last_unsorted = min(place, self._last_unsorted or place)
                self._spans[newest] = min(place, self._spans.get(newest, place))

    def ready(self, newest_ms: int) -> Iterator[Place]:
        """Give what comes before anything in items that are not newer than this."""
        while self._pending and self._pending[-1].due_ms > newest_ms:
            place = self._pending.pop()
            self.before = place
            yield place

    def rest(self) -> Iterator[Place]:
        """Give what is left once all items are read."""
        yield from self.ready(self.first_ms - 1)

    def unsorted_behind(self, place: Place) -> bool:
        """Tell whether what follows a place is not all sorted yet."""
        return self._last_unsorted is not None and self._last_unsorted < place

    def again_from(self, place: Place) -> int:
        """Tell from which newest time on items must be read to find all that follows a place."""
        newest = (newest_ms for newest_ms, last in self._spans.items() if last < place)
        return max(newest, default=place.due_ms)


def end_of_minute(due_ms: int) -> int:
    """Give the last instant of its minute: no item that the audit sorted reaches beyond one."""
    return due_ms // _MINUTE_MS * _MINUTE_MS + _MINUTE_MS - 1
