"""The time of this machine, and waiting; the simulation puts its own in place."""

from __future__ import annotations

import time


def now_ms() -> int:
    """Milliseconds since the Unix epoch."""
    return time.time_ns() // 1_000_000


def monotonic() -> float:
    """Seconds that no correction of the clock moves."""
    return time.monotonic()


def sleep(seconds: float) -> None:
    """Wait."""
    time.sleep(seconds)
