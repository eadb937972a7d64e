"""Connects a handler's context to this process: the worker's clock, the row and the record."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from onthedot.store import clock
from onthedot.targets.call import Call
from onthedot.targets.python import run_log
from onthedot.targets.python.context import Context, instant
from onthedot.targets.python.previous_success import previous_success
from onthedot.targets.python.signals import LeaseLost
from onthedot.targets.python.step_effects import once


@dataclass(frozen=True, slots=True)
class _Hands:
    call: Call

    def now_ms(self) -> int:
        return clock.now_ms()

    def cancel_requested(self) -> bool:
        return self.call.cancelled()

    def lease_lost(self) -> bool:
        return self.call.lease_lost()

    def report(self, progress: object) -> None:
        self.call.report(progress)

    def once(self, step: str, effect: Callable[[], Any]) -> Any:
        if self.call.lease_lost():
            raise LeaseLost("the lease is over: another worker may be having this effect")
        return once(self.call.run_id, step, effect)

    def previous_success(self) -> datetime | None:
        found = previous_success(self.call.run_id)
        return datetime.fromisoformat(found) if found else None


def context_of(call: Call) -> Context:
    """Returns what a handler is told of its run."""
    names = {"task_id": call.task_id, "run_id": call.run_id, "attempt": call.attempt}
    return Context(
        run_id=call.run_id,
        task_id=call.task_id,
        tenant_id=call.tenant_id,
        name=call.name,
        origin=call.origin,
        attempt=call.attempt,
        max_attempts=call.max_attempts,
        scheduled_for=datetime.fromisoformat(call.scheduled_for) if call.scheduled_for else None,
        due_at=instant(call.due_ms),
        deadline=instant(call.deadline_ms),
        payload=call.payload,
        checkpoint=call.checkpoint,
        log=run_log.of({**names, "tenant_id": call.tenant_id}),
        hands=_Hands(call),
    )
