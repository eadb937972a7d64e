"""Tells the time, corrected by the store's answers, and waits."""

from __future__ import annotations

import time
from contextvars import ContextVar

from onthedot.store import aws

_offset: ContextVar[int] = ContextVar("offset", default=0)


def now_ms() -> int:
    """Returns milliseconds since the Unix epoch by the store's clock."""
    return aws.local_ms() + _offset.get()


def correct(offset_ms: int) -> None:
    """Adds an offset to this machine's clock for the rest of the invocation."""
    _offset.set(offset_ms)


def monotonic() -> float:
    """Returns seconds by a clock that no correction moves."""
    return time.monotonic()


def sleep(seconds: float) -> None:
    time.sleep(seconds)
