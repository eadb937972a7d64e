"""One call of a target: the run's id is its idempotency key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from onthedot.store.exchange import Exchange
from onthedot.targets.templates import BYTES_MAX


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What a target is told; `cancelled` may be asked at any time."""

    run_id: str
    task_id: str
    tenant_id: str
    name: str
    origin: str
    attempt: int
    max_attempts: int
    scheduled_for: str | None
    due_ms: int
    deadline_ms: int
    target: Mapping[str, Any]
    payload: Any
    # What the attempt before left behind for this one.
    checkpoint: Any
    cancelled: Callable[[], bool]
    lease_lost: Callable[[], bool]
    # How many bytes its templates may still give.
    room: int = BYTES_MAX
    # Progress to be shown while the target works.
    report: Callable[[Any], None]
    # Who cancels the run breaks it off; targets that wait for an answer wait in it.
    exchange: Exchange = field(default_factory=Exchange)


# These answer within seconds by themselves, and what they say is believed. An execution that was
# started, and that nobody knew of, nobody could stop.
BRIEF = frozenset({"sqs", "sns", "eventbridge", "stepfunctions"})


def run_fields(call: Call) -> dict[str, Any]:
    """Give what a template may name of the run."""
    return {
        "run_id": call.run_id,
        "scheduled_for": call.scheduled_for or "",
        "due_at": measured_ms(call.due_ms),
        "attempt": call.attempt,
        "name": call.name,
        "task_id": call.task_id,
    }


def measured_ms(ms: int) -> str:
    """Write a measured instant: three decimals, Z."""
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds")[:23] + "Z"
