"""The time, corrected by what the store's answers say of it, and waiting."""

from __future__ import annotations

import time
from contextvars import ContextVar

from onthedot.store import aws

_offset: ContextVar[int] = ContextVar("offset", default=0)


def now_ms() -> int:
    """Milliseconds since the Unix epoch, as the store's clock has them."""
    return aws.local_ms() + _offset.get()


def correct(offset_ms: int) -> None:
    """Add so much to this machine's clock for the rest of the invocation."""
    _offset.set(offset_ms)


def monotonic() -> float:
    """Seconds that no correction of the clock moves."""
    return time.monotonic()


def sleep(seconds: float) -> None:
    """Wait."""
    time.sleep(seconds)
