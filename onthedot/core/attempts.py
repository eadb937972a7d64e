"""What a row keeps of its earlier attempts."""

from __future__ import annotations

from typing import Any

from onthedot.core.run import Life

ATTEMPTS_KEPT = 50


def attempt_record(life: Life, outcome: str, now_ms: int) -> dict[str, Any]:
    """Keep what is to be known of an attempt once the row moves on."""
    record = {
        "attempt": life.attempt,
        "worker": life.owner,
        "started_ms": life.started_ms,
        "ended_ms": now_ms,
        "outcome": outcome,
    }
    kept = {name: value for name in ("error", "log") if (value := getattr(life, name))}
    return record | kept
