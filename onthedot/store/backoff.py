"""Computes pauses between tries at a busy store: short at first, then longer, with jitter."""

from __future__ import annotations

_FIRST_MS = 50
_LONGEST_MS = 500
_DOUBLINGS_MAX = 4


def pause_ms(tries: int, fraction: float) -> int:
    """Returns the pause before the next try. The fraction keeps callers from trying at once."""
    longest = min(_LONGEST_MS, _FIRST_MS << min(tries, _DOUBLINGS_MAX))
    return int(longest * (1 + fraction) / 2)
