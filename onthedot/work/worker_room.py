"""Limits what a worker with slow runs takes on, and how much of it is one tenant's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.records.runs.message_pack import RUNS_MAX

# Runs. Each has one of 256 threads, and one message may bring 25 more.
RUNS = 200
# The other half is for other tenants.
OF_TENANT = RUNS // 2
# Python handlers share the worker's processor with all others.
_HANDLER = 10
# Seconds. A worker whose runs are all shorter is left to its queue's poller.
SLOW_SEC = 1.0
# Seconds, the longest timeout. Every run must end before the invocation has this age.
LAST_SEC = 840
# Seconds at which an invocation takes no more, different for each, so that never all close at once.
_CLOSES_SEC = (60, 540)
_MESSAGES = 10
_PUT_OFF_SEC = (5, 60)
# What a run waits for if its tenant has its share of the room.
WAITED = "lane"


def closes_sec(fraction: float) -> float:
    """Returns a random age at which an invocation takes no more."""
    first, last = _CLOSES_SEC
    return first + fraction * (last - first)


def weight(target: Mapping[str, Any]) -> int:
    """Returns how many other runs a run of such a target counts for."""
    return _HANDLER if target.get("type") == "python" else 1


def messages(in_hand: int) -> int:
    """Returns how many messages there is room for, if each is a full pack."""
    return max(0, min(_MESSAGES, (RUNS - in_hand) // RUNS_MAX))


def fits(age_sec: float, timeout_sec: int) -> bool:
    """Tells whether a run that begins at this age ends before the invocation must."""
    return age_sec + timeout_sec <= LAST_SEC


def put_off_sec(due_ms: int, now_ms: int) -> int:
    """Returns the delay: the longer a run has waited, the more rarely it looks."""
    least, most = _PUT_OFF_SEC
    return min(most, max(least, (now_ms - due_ms) // 2000))
