"""Writes measured instants for callers: three decimals, Z."""

from __future__ import annotations

from datetime import UTC, datetime


def moment(ms: int) -> str | None:
    """Writes one. Zero means that it has not happened, and gives None."""
    if not ms:
        return None
    return f"{datetime.fromtimestamp(ms // 1000, UTC).isoformat()[:19]}.{ms % 1000:03}Z"
