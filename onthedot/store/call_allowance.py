"""Limits how many calls to the store one request may make. They are counted as they are made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count


class TooManyCallsError(Exception):
    """A request would make more calls than it may."""


@dataclass(slots=True)
class Allowance:
    """A limited number of calls."""

    most: int
    # `count` is safe between threads.
    _made: Iterator[int] = field(default_factory=lambda: count(1))

    def call(self) -> None:
        """Counts a call, or refuses it."""
        if next(self._made) > self.most:
            raise TooManyCallsError(f"more than {self.most} calls")
