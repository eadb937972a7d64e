"""Puts the runs of many manifests into one order: by due time, each run once."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from typing import NamedTuple

from onthedot.records.runs.manifest import Entry

_MINUTE_MS = 60_000


class Place(NamedTuple):
    """A run's place in the order. Two runs never share a place."""

    due_ms: int
    run_id: str


@dataclass(slots=True)
class Merge:
    """Yields one tenant's runs, newest first, while the items that list them are read.

    Runs due before `first_ms`, or at or above the place `before`, are left out.
    """

    tenant_id: str
    first_ms: int
    before: Place
    _pending: list[Place] = field(default_factory=list)
    # The last place in each item that was read, by the item's newest time.
    _spans: dict[int, Place] = field(default_factory=dict)
    # The last place that only an item shows which the audit has not sorted yet.
    _last_unsorted: Place | None = None

    def add(self, entries: Iterable[Entry], newest_ms: int | None = None) -> None:
        """Adds an item and its newest time. An item that the audit has not sorted has none."""
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
        """Returns what comes before anything in items that are not newer than this."""
        while self._pending and self._pending[-1].due_ms > newest_ms:
            place = self._pending.pop()
            self.before = place
            yield place

    def rest(self) -> Iterator[Place]:
        """Returns what is left once all items are read."""
        yield from self.ready(self.first_ms - 1)

    def unsorted_behind(self, place: Place) -> bool:
        """Tells whether unsorted items may follow a place."""
        return self._last_unsorted is not None and self._last_unsorted < place

    def again_from(self, place: Place) -> int:
        """Returns the newest time from which items hold all that follows a place."""
        newest = (newest_ms for newest_ms, last in self._spans.items() if last < place)
        return max(newest, default=place.due_ms)


def end_of_minute(due_ms: int) -> int:
    """Returns the last instant of its minute. A sorted item never reaches beyond one minute."""
    return due_ms // _MINUTE_MS * _MINUTE_MS + _MINUTE_MS - 1
