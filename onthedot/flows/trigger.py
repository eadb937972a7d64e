"""Trigger: a run without a slot, now; it never moves the cursor."""

from __future__ import annotations

from typing import Any

from onthedot.adapters import clock, ids
from onthedot.core.keys import moment_key
from onthedot.core.run import Run
from onthedot.flows.extra import first_life, launched
from onthedot.flows.known import read


def trigger(task_id: str, *, payload: Any = None) -> Run | None:  # noqa: ANN401 any JSON
    """Run a task once, now, with its own payload or another."""
    known = read(task_id)
    if known is None or known.task.status == "deleted":
        return None
    now_ms = clock.now_ms()
    manual = Run(
        task_id=task_id,
        key=moment_key(now_ms, "m", ids.token(6)),
        tenant_id=known.task.tenant_id,
        origin="manual",
        queue=known.task.queue,
        life=first_life(known.task, now_ms, ids.token()),
    )
    return launched(manual, payload)
