"""A target that only keeps what it was told: for benches and walks."""

from __future__ import annotations

from onthedot.core.call import Call
from onthedot.core.policy import Answer, Done

calls: list[Call] = []


def call(asked: Call) -> Answer:
    """Record the call."""
    calls.append(asked)
    return Done()
