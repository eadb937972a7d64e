"""Pauses between tries at a store that is busy: short at first, longer each time, never alike."""

from __future__ import annotations

_FIRST_MS = 50
_LONGEST_MS = 500
_DOUBLINGS_MAX = 4


def pause_ms(tries: int, fraction: float) -> int:
    """Give the pause before the next try, after so many; the fraction keeps crowds apart."""
    longest = min(_LONGEST_MS, _FIRST_MS << min(tries, _DOUBLINGS_MAX))
    return int(longest * (1 + fraction) / 2)
