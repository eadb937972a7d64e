"""Writes what happened as CloudEvents. Each has an id that never changes."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from hashlib import sha256
from typing import Any

from onthedot.records.conditional_writes import Insert
from onthedot.records.keys import is_slot_key
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Status
from onthedot.records.tasks.task_spec import Task

TABLE = "runs"
# Events to be told, and events that were told. An event is in each list once at most.
OPEN, TOLD = "event#open", "event#told"
OPEN_SEC, TOLD_SEC = 86_400, 3 * 86_400
LATE_MS = 30_000
_PREFIX = "onthedot."


@dataclass(frozen=True, slots=True, kw_only=True)
class Event:
    """One event. `key` tells it from all others of its type."""

    type: str
    tenant_id: str
    task_id: str
    subject: str
    key: str
    at_ms: int
    data: dict[str, Any]

    @property
    def id(self) -> str:
        """Returns the id: the same for each process and each time."""
        return sha256(f"{self.type}#{self.subject}#{self.key}".encode()).hexdigest()[:32]

    def body(self) -> str:
        return json.dumps(
            {
                "specversion": "1.0",
                "id": self.id,
                "source": f"/tenants/{self.tenant_id}/tasks/{self.task_id}",
                "type": self.type,
                "subject": self.subject,
                "time": datetime.fromtimestamp(self.at_ms / 1000, UTC).isoformat()[:19] + "Z",
                "datacontenttype": "application/json",
                "data": self.data,
            },
            separators=(",", ":"),
        )


def of_run(what: str, run: Run) -> Event:
    """Describes a run that is dead, recovered or late, or a slot that was missed."""
    life = run.life
    error = {name: value for name, value in (life.its_end.error or {}).items() if name != "stack"}
    subject = "slot" if what == "missed" else "run"
    return Event(
        type=f"{_PREFIX}{subject}.{what}.v1",
        tenant_id=run.tenant_id,
        task_id=run.task_id,
        subject=run.run_id,
        key="",
        at_ms=life.its_end.ended_ms,
        data={
            "task_id": run.task_id,
            "tenant_id": run.tenant_id,
            "run_id": run.run_id,
            "scheduled_for": _slot(run),
            "origin": run.origin,
            "status": life.status.value,
            "reason": life.reason.value,
            "attempt": life.starts,
            "lag_ms": run.life.lag_ms,
            "error": error or None,
            "range": run.span,
        },
    )


def _slot(run: Run) -> str | None:
    """Returns the run's slot, of a range the first. A manual run has none."""
    of_its_own = is_slot_key(run.key) or run.is_range
    return run.slot or (run.key.partition("~")[0] if of_its_own else None)


def of_task(what: str, task: Task, reason: str, at_ms: int) -> Event:
    """Describes a schedule that was paused or resumed by the system."""
    return Event(
        type=f"{_PREFIX}schedule.{what}.v1",
        tenant_id=task.tenant_id,
        task_id=task.task_id,
        subject=task.task_id,
        key=str(at_ms),
        at_ms=at_ms,
        data={
            "task_id": task.task_id,
            "tenant_id": task.tenant_id,
            "name": task.name,
            "by": "system",
            "reason": reason,
        },
    )


def of_ended(run: Run) -> Event | None:
    """Describes a run that ended badly or began too late. None: nothing to tell."""
    if run.life.status in (Status.DEAD, Status.MISSED):
        return of_run(run.life.status.value, run)
    return of_run("late", run) if (run.life.lag_ms or 0) > LATE_MS else None


def telling(event: Event, place: str) -> str:
    """Returns the name of an event at one destination."""
    return f"{event.id}#{sha256(place.encode()).hexdigest()[:8]}"


def to_tell(event: Event, place: str, now_ms: int) -> Insert:
    """Lists the event to be told there. A second write changes nothing."""
    beside = {"to": place, "body": event.body()}
    return _item(OPEN, telling(event, place), beside, now_ms // 1000 + OPEN_SEC)


def told(name: str, now_ms: int) -> Insert:
    """Records that it was told."""
    return _item(TOLD, name, {}, now_ms // 1000 + TOLD_SEC)


def _item(partition: str, name: str, beside: Mapping[str, Any], expires_at: int) -> Insert:
    item = {"task_id": partition, "scheduled_for": name, **beside, "expires_at": expires_at}
    return Insert(TABLE, item, ("task_id", "scheduled_for"))
