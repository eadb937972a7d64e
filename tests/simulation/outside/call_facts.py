"""What a target was told of its run, as it was told."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from onthedot.targets.call import Call
from onthedot.targets.python.context import Context


@dataclass(frozen=True, slots=True, kw_only=True)
class Told:
    """Beside its payload and its checkpoint."""

    task_id: str
    tenant_id: str
    name: str
    origin: str
    max_attempts: int
    scheduled_for: str | None
    deadline_ms: int


def of_call(call: Call) -> Told:
    return Told(
        task_id=call.task_id,
        tenant_id=call.tenant_id,
        name=call.name,
        origin=call.origin,
        max_attempts=call.max_attempts,
        scheduled_for=call.scheduled_for,
        deadline_ms=call.deadline_ms,
    )


def of_context(ctx: Context) -> Told:
    return Told(
        task_id=ctx.task_id,
        tenant_id=ctx.tenant_id,
        name=ctx.name,
        origin=ctx.origin,
        max_attempts=ctx.max_attempts,
        scheduled_for=_instant(ctx.scheduled_for),
        deadline_ms=round(ctx.deadline.timestamp() * 1000),
    )


def _instant(slot: datetime | None) -> str | None:
    return None if slot is None else slot.strftime("%Y-%m-%dT%H:%M:%SZ")
