"""Measured instants as callers read them: three decimals, Z."""

from __future__ import annotations

from datetime import UTC, datetime


def moment(ms: int) -> str | None:
    """Write one; zero is an instant that has not come."""
    if not ms:
        return None
    return f"{datetime.fromtimestamp(ms // 1000, UTC).isoformat()[:19]}.{ms % 1000:03}Z"
