"""An exchange with a target: one thread waits in it, and another may break it off."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress


class BrokenOff(Exception):  # noqa: N818 it says what has happened
    """Nobody waits for the answer any more."""


class Exchange:
    """Safe between threads: a way to wake is popped, and only one thread can pop it."""

    def __init__(self) -> None:
        self.broken_off = False
        self._waits: deque[Callable[[], None]] = deque()

    def break_off(self) -> None:
        """Wake the thread that waits, and let it wait no more."""
        self.broken_off = True
        with suppress(IndexError):
            self._waits.pop()()

    def go_on(self) -> None:
        """Raise if there is nothing to wait for any more; asked before each wait."""
        if self.broken_off:
            raise BrokenOff

    @contextmanager
    def woken_by(self, wake: Callable[[], None]) -> Iterator[None]:
        """Wait inside; what fails there because it was woken is a breaking off.

        What was answered all the same is given, but its connection may be shut: see `broken_off`.
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
