"""A share of a sample, and where the share of all changes is with 95 of 100 samples."""

from __future__ import annotations

from math import sqrt

_Z = 1.96


def interval(count: int, of: int) -> tuple[float, float]:
    """Gives Wilson's interval, which also holds near none and all."""
    if not of:
        return 0.0, 1.0
    share, weight = count / of, _Z * _Z / of
    middle = (share + weight / 2) / (1 + weight)
    half = _Z * sqrt(share * (1 - share) / of + weight / (4 * of)) / (1 + weight)
    return max(0.0, middle - half), min(1.0, middle + half)


def told(count: int, of: int) -> str:
    low, high = interval(count, of)
    share = count / of if of else 0.0
    return f"{count} of {of}, {share:.0%} (95 %: {low:.0%} to {high:.0%})"
