"""Calls a target that only records what it was told, for benches and tests."""

from __future__ import annotations

import time

from onthedot.targets.attempt_outcome import Answer, Done
from onthedot.targets.call import Call

calls: list[Call] = []


def call(asked: Call) -> Answer:
    """Keeps the call, and answers with the time at which it came."""
    calls.append(asked)
    return Done(time.time_ns() // 1_000_000)
