"""Room: what a worker takes on while slow runs keep it, and how much of that is one tenant's."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.records.runs.message_pack import RUNS_MAX

# Each has a thread of its own, of which there are 256, and one message may bring 25 more.
RUNS = 200
# The other half is for the others.
OF_TENANT = RUNS // 2
# Python handlers share the worker's processor with all others.
_HANDLER = 10
# A worker all of whose runs are shorter is left to its queue's poller.
SLOW_SEC = 1.0
# The longest timeout: what begins with an invocation may take so long, and so may no more after.
LAST_SEC = 840
# When an invocation takes no more: each at another age, so that never all are closed at once.
_CLOSES_SEC = (60, 540)
_MESSAGES = 10
_PUT_OFF_SEC = (5, 60)
# What a run waits for whose tenant has its share of the room.
WAITED = "lane"


def closes_sec(fraction: float) -> float:
    """Draw the age at which an invocation takes no more."""
    first, last = _CLOSES_SEC
    return first + fraction * (last - first)


def weight(target: Mapping[str, Any]) -> int:
    """Tell how many other runs one of such a target counts for."""
    return _HANDLER if target.get("type") == "python" else 1


def messages(in_hand: int) -> int:
    """Tell how many messages there is room for, if each is a full pack."""
    return max(0, min(_MESSAGES, (RUNS - in_hand) // RUNS_MAX))


def fits(age_sec: float, timeout_sec: int) -> bool:
    """Tell whether a run that begins at this age ends before the invocation has to."""
    return age_sec + timeout_sec <= LAST_SEC


def put_off_sec(due_ms: int, now_ms: int) -> int:
    """Look more and more rarely, the longer a run has waited already."""
    least, most = _PUT_OFF_SEC
    return min(most, max(least, (now_ms - due_ms) // 2000))
