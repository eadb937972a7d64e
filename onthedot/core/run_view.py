"""A run as callers see it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime
from typing import Any

from onthedot.core.instants import local
from onthedot.core.instants import parse_nominal as instant_of
from onthedot.core.keys import is_slot_key
from onthedot.core.run import Run
from onthedot.core.task import Task
from onthedot.core.zones import zone

# What kind of target only takes the work over, and says nothing of its end.
_DELIVERED = frozenset({"sqs", "sns", "eventbridge"})


def view(run: Run, task: Task, payload: object) -> dict[str, Any]:
    """Show a run with all of its attempts."""
    life = run.life
    first_started_ms = life.first_started_ms or life.started_ms
    return {
        **summary(run, task),
        "note": life.note or None,
        "worker": life.owner or None,
        "lease_until": moment(life.lease_ms),
        "retry_at": moment(life.due_ms) if life.status == "retrying" else None,
        "lag_ms": first_started_ms - life.due_ms if first_started_ms else None,
        "schedule_version": life.schedule_version,
        "payload": payload,
        "result": life.result,
        "error": life.error or None,
        "progress": None,
        "attempts": [_attempt(attempt) for attempt in life.attempts],
        "cancel_requested_at": moment(run.cancel_ms),
        "cancelled_by": run.cancel_by or None,
        "replay_of": run.replay_of or None,
        "backfill_id": run.backfill_id or None,
    }


def summary(run: Run, task: Task) -> dict[str, Any]:
    """Show a run in a list."""
    life = run.life
    slot = run.slot or (run.key if is_slot_key(run.key) else None)
    return {
        "run_id": run.run_id,
        "task_id": run.task_id,
        "name": task.name or None,
        "tenant_id": run.tenant_id,
        "origin": run.origin,
        "status": life.status,
        "reason": life.reason or None,
        "completion": _completion(run, task),
        "scheduled_for": slot,
        "local": local(zone(task.schedule.timezone), instant_of(slot)) if slot else None,
        "due_at": moment(life.due_ms),
        "claimed_at": moment(life.claimed_ms),
        "started_at": moment(life.started_ms),
        "ended_at": moment(life.ended_ms),
        "duration_ms": life.ended_ms - life.started_ms if life.started_ms and run.final else None,
        "attempt": life.attempt,
        "max_attempts": task.max_attempts,
        "priority": task.priority,
        "range": _range(run),
    }


def moment(ms: int) -> str | None:
    """Write a measured instant; zero is one that has not come."""
    if not ms:
        return None
    return f"{datetime.fromtimestamp(ms // 1000, UTC).isoformat()[:19]}.{ms % 1000:03}Z"


def _completion(run: Run, task: Task) -> str | None:
    if run.life.status != "succeeded":
        return None
    return "delivered" if task.target.get("type") in _DELIVERED else "completed"


def _range(run: Run) -> dict[str, Any] | None:
    if not run.range_count:
        return None
    first = run.key.partition("~")[0]
    return {"from": first, "to": run.range_to, "count": run.range_count}


def _attempt(attempt: Mapping[str, Any]) -> dict[str, Any]:
    started_ms, ended_ms = attempt.get("started_ms", 0), attempt.get("ended_ms", 0)
    return {
        "attempt": attempt["attempt"],
        "worker": attempt.get("worker"),
        "started_at": moment(started_ms),
        "ended_at": moment(ended_ms),
        "duration_ms": ended_ms - started_ms if started_ms and ended_ms else None,
        "outcome": attempt["outcome"],
        "error": attempt.get("error"),
    }
