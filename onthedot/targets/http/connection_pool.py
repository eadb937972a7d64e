"""Keeps connections open for their next use: a few for each place, and not for long."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Hashable
from typing import Generic, Protocol, TypeVar


class Closable(Protocol):
    """What must be closed if it is not kept."""

    def close(self) -> None:
        """Releases what it holds."""


T = TypeVar("T", bound=Closable)


class Idle(Generic[T]):
    """Safe between threads, because both ends of a deque are."""

    def __init__(self, most: int, age_max_sec: float) -> None:
        self._most = most
        self._age_max_sec = age_max_sec
        self._kept: dict[Hashable, deque[tuple[float, T]]] = defaultdict(deque)

    def keep(self, place: Hashable, thing: T, now: float) -> None:
        """Keeps a connection, or closes it if there are enough."""
        if len(self._kept[place]) < self._most:
            self._kept[place].append((now, thing))
        else:
            thing.close()

    def take(self, place: Hashable, now: float) -> T | None:
        """Returns the latest one. Those that were idle for too long are closed."""
        while True:
            try:
                kept_at, thing = self._kept[place].pop()
            except IndexError:
                return None
            if now - kept_at < self._age_max_sec:
                return thing
            thing.close()

    def clear(self) -> None:
        for kept in self._kept.values():
            while kept:
                kept.pop()[1].close()
