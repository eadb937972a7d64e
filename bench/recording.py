"""A target that only keeps what it was told: for benches and tests, beside those of the product."""

from __future__ import annotations

import time

from onthedot.targets.attempt_outcome import Answer, Done
from onthedot.targets.call import Call

calls: list[Call] = []


def call(asked: Call) -> Answer:
    """Keep the call, and answer with the time at which it came."""
    calls.append(asked)
    return Done(time.time_ns() // 1_000_000)
