"""One call of a target: the run's id is its idempotency key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What a target is told; `cancelled` may be asked at any time."""

    run_id: str
    attempt: int
    max_attempts: int
    scheduled_for: str | None
    due_ms: int
    deadline_ms: int
    target: Mapping[str, Any]
    payload: Any
    cancelled: Callable[[], bool]
