"""Lets one thread wait for a target, and another thread break the wait off."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress


class BrokenOff(Exception):  # noqa: N818 it says what has happened
    """Nobody waits for the answer any more."""


class Exchange:
    """Safe between threads: a wake function is popped, and only one thread can pop it."""

    def __init__(self) -> None:
        self.broken_off = False
        self._waits: deque[Callable[[], None]] = deque()

    def break_off(self) -> None:
        """Wakes the waiting thread, and ends its wait."""
        self.broken_off = True
        with suppress(IndexError):
            self._waits.pop()()

    def go_on(self) -> None:
        """Raises if the exchange was broken off. Called before each wait."""
        if self.broken_off:
            raise BrokenOff

    @contextmanager
    def woken_by(self, wake: Callable[[], None]) -> Iterator[None]:
        """Waits inside. An error that comes from being woken becomes `BrokenOff`.

        An answer that came all the same is returned, but its connection may be shut: see
        `broken_off`.
        """
        self._waits.append(wake)
        try:
            self.go_on()
            yield
        except Exception as failure:
            if self.broken_off:
                raise BrokenOff from failure
            raise
        finally:
            with suppress(IndexError):
                self._waits.pop()
