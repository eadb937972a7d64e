"""How many calls to the store one question may make, counted while they are made."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from itertools import count


class TooManyCallsError(Exception):
    """A question would take more calls than it may."""


@dataclass(slots=True)
class Allowance:
    """So many calls and no more."""

    most: int
    # Counting by this is safe in threads.
    _made: Iterator[int] = field(default_factory=lambda: count(1))

    def call(self) -> None:
        """Make one, or be refused."""
        if next(self._made) > self.most:
            raise TooManyCallsError(f"more than {self.most} calls")
