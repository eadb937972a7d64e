"""What a user registered, as the worker needs it; the cursor that dispatch advances is apart."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from onthedot.records.keys import CURSOR, SPEC
from onthedot.records.runs import pull
from onthedot.records.tasks import payloads
from onthedot.schedule import packed_schedule
from onthedot.schedule.blackouts import Blackout, calendars_of
from onthedot.schedule.calendar_times import Calendar
from onthedot.schedule.schedule import Schedule

TABLE = "tasks"
# Nothing of it starts any more; the reason that its open runs get.
ENDED = {"deleted": "task_deleted", "cancelled": "task_cancelled"}
QUEUES = {1: "high", 2: "normal", 3: "low"}


@dataclass(frozen=True, slots=True, kw_only=True)
class Retry:
    """How long to wait before the next attempt."""

    backoff: str = "exponential"
    base_sec: int = 5
    cap_sec: int = 900
    jitter: str = "full"


@dataclass(frozen=True, slots=True, kw_only=True)
class Task:
    """The spec: only user writes touch it."""

    task_id: str
    tenant_id: str
    name: str = ""
    status: str = "active"
    version: int = 1
    schedule_version: int = 1
    # Slots of the present schedule count from here on; an edit and a resume move it.
    effective_from: int = 0
    paused_at: int = 0
    compiled: bytes
    misfire: str = "latest"
    misfire_grace_sec: int = 3600
    overlap: str = "skip"
    max_concurrent: int | None = 1
    queue_max: int = 100
    target: Mapping[str, Any]
    payload: Any = field(default_factory=dict)
    max_attempts: int = 3
    retry: Retry = field(default_factory=Retry)
    timeout_sec: int = 300
    priority: int = 2
    max_runs: int | None = None
    # Its calendars, resolved: an edit of a calendar is an edit of each task that names it.
    blackouts: tuple[Blackout, ...] = ()
    # What only the API reads and shows: the expression as it was written, tags, who made it.
    shown: Mapping[str, Any] = field(default_factory=dict)

    @property
    def schedule(self) -> Schedule:
        """Unpack the schedule, once for each that is stored."""
        return _unpacked(self.compiled)

    @property
    def closed(self) -> tuple[Calendar, ...]:
        """When it does not fire, whatever its schedule says."""
        return calendars_of(self.blackouts)

    @property
    def queue(self) -> str:
        """The queue of its priority, or the one that its workers fetch from."""
        if self.target.get("type") == "pull":
            return pull.queue_of(self.priority, self.target["queue"])
        return QUEUES[self.priority]

    def item(self) -> dict[str, Any]:
        """Write the spec."""
        item = {name: getattr(self, name) for name in _WORKED_WITH} | dict(self.shown)
        item["payload"] = payloads.written(self.payload)
        item["blackouts"] = list(self.blackouts) or None
        item["retry"] = {name: getattr(self.retry, name) for name in Retry.__slots__}
        return {"part": SPEC} | {name: value for name, value in item.items() if value is not None}


_WORKED_WITH = tuple(name for name in Task.__slots__ if name != "shown")
_NOT_SHOWN = frozenset({*_WORKED_WITH, "part"})


@lru_cache(4096)
def _unpacked(compiled: bytes) -> Schedule:
    return packed_schedule.unpack(compiled)


def parse(item: Mapping[str, Any]) -> Task:
    """Read the spec; what the worker does not know is kept as it is."""
    known: dict[str, Any] = {name: item[name] for name in _WORKED_WITH if name in item}
    known["shown"] = {name: item[name] for name in item if name not in _NOT_SHOWN}
    known["payload"] = payloads.read(item["payload"])
    known["retry"] = Retry(**item["retry"])
    known["blackouts"] = tuple(item.get("blackouts", ()))
    # None is not stored, and for `allow` it means something: no bound.
    return Task(**{"max_concurrent": None} | known)


def readable(item: Mapping[str, Any]) -> Task | None:
    """Read a spec, or say that this version cannot: one such spec must hold up no other run."""
    try:
        task = parse(item)
        # What a worker asks of it later, with the runs of others in its hands.
        _ = (task.schedule, task.closed, task.queue)
    except packed_schedule.UNREADABLE:
        return None
    return task


def spec_key(task_id: str) -> dict[str, str]:
    """Give the key of a task's spec."""
    return {"task_id": task_id, "part": SPEC}


def cursor_key(task_id: str) -> dict[str, str]:
    """Give the key of a task's cursor."""
    return {"task_id": task_id, "part": CURSOR}
