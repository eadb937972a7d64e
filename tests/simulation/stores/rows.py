"""A table's or an index's items by partition in sort-key order, and what they were before."""

from __future__ import annotations

from bisect import bisect_left, insort
from collections.abc import Callable, Iterator
from typing import Any

from tests.simulation.stores.values import Item

Key = tuple[Any, Any]  # (partition, sort): the raw Python values, numbers as numbers


class Rows:
    def __init__(self, now_us: Callable[[], int]) -> None:
        self.items: dict[Key, Item] = {}
        self._now_us = now_us
        self._order: dict[Any, list[Any]] = {}
        self._log: list[tuple[int, Key, Item | None]] = []

    def set(self, key: Key, item: Item | None) -> None:
        """Puts the item, or with None takes it away."""
        before = self.items.get(key)
        self._log.append((self._now_us(), key, before))
        if item is not None:
            self.items[key] = item
            if before is None:
                insort(self._order.setdefault(key[0], []), key[1])
        elif before is not None:
            del self.items[key]
            order = self._order[key[0]]
            del order[bisect_left(order, key[1])]

    def get(self, key: Key, behind_us: int = 0) -> Item | None:
        if behind_us:
            past = self._past(behind_us)
            if key in past:
                return past[key]
        return self.items.get(key)

    def partition(self, partition: Any, behind_us: int = 0) -> list[tuple[Key, Item]]:
        """In sort order, as it was `behind_us` ago."""
        order = self._order.get(partition, [])
        if not behind_us:
            items = self.items
            return [((partition, sort), items[partition, sort]) for sort in order]
        past = {key: was for key, was in self._past(behind_us).items() if key[0] == partition}
        present = {(partition, sort): self.items[partition, sort] for sort in order}
        view = {**present, **past}
        return sorted(((key, item) for key, item in view.items() if item), key=_key_of)

    def partitions(self) -> Iterator[Any]:
        return iter(self._order)

    def _past(self, behind_us: int) -> dict[Key, Item | None]:
        """Returns what differs from the present: for each key changed since, what it was then."""
        then = self._now_us() - behind_us
        was: dict[Key, Item | None] = {}
        for at, key, before in reversed(self._log):
            if at <= then:
                break
            was[key] = before
        return was


def _key_of(pair: tuple[Key, Item]) -> Key:
    return pair[0]
