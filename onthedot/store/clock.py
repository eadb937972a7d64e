"""Tells the time, corrected by the store's answers, and waits."""

from __future__ import annotations

import time
from contextvars import ContextVar

_offset: ContextVar[int] = ContextVar("offset", default=0)


def local_ms() -> int:
    """Reads this machine's clock without correction."""
    return time.time_ns() // 1_000_000


def now_ms() -> int:
    """Returns milliseconds since the Unix epoch by the store's clock."""
    return local_ms() + _offset.get()


def correct(offset_ms: int) -> None:
    """Adds an offset to this machine's clock for the rest of the invocation."""
    _offset.set(offset_ms)


def monotonic() -> float:
    """Returns seconds by a clock that no correction moves."""
    return time.monotonic()


def sleep(seconds: float) -> None:
    time.sleep(seconds)
