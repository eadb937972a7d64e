"""Describes one call of a target. The run's id is its idempotency key."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from onthedot.store.aws import Exchange
from onthedot.targets.templates import BYTES_MAX


@dataclass(frozen=True, slots=True, kw_only=True)
class Call:
    """What a target is told. `cancelled` can be called at any time."""

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
    # What the previous attempt left for this one.
    checkpoint: Any
    cancelled: Callable[[], bool]
    lease_lost: Callable[[], bool]
    # Bytes that the templates of this call may still produce.
    room: int = BYTES_MAX
    # Notes that the target is called now.
    called: Callable[[], None] = lambda: None
    # Shows progress while the target works.
    report: Callable[[Any], None]
    # A cancel breaks it off. Targets that wait for an answer wait in it.
    exchange: Exchange = field(default_factory=Exchange)


# These answer within seconds, and their answer is believed. If a start of an execution were not
# believed, nobody could stop that execution.
BRIEF = frozenset({"sqs", "sns", "eventbridge", "stepfunctions"})


def run_fields(call: Call) -> dict[str, Any]:
    """Returns what a template can use of the run."""
    return {
        "run_id": call.run_id,
        "scheduled_for": call.scheduled_for or "",
        "due_at": measured_ms(call.due_ms),
        "attempt": call.attempt,
        "name": call.name,
        "task_id": call.task_id,
    }


def measured_ms(ms: int) -> str:
    """Writes a measured instant with three decimals and Z."""
    return datetime.fromtimestamp(ms / 1000, UTC).isoformat(timespec="milliseconds")[:23] + "Z"
