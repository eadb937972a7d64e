"""Describes what a user registered, as the worker needs it. The cursor is a separate item."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from onthedot.records.keys import CURSOR, SPEC, part_key
from onthedot.records.runs import pull
from onthedot.records.runs.run_status import Reason
from onthedot.records.tasks import payloads
from onthedot.schedule import schedule
from onthedot.schedule.blackouts import Blackout, calendars_of
from onthedot.schedule.calendar_times import Calendar
from onthedot.schedule.schedule import Schedule

TABLE = "tasks"
# Statuses in which nothing starts any more, and the reason that open runs get.
ENDED = {"deleted": Reason.TASK_DELETED, "cancelled": Reason.TASK_CANCELLED}
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
    """The spec. Only user writes change it."""

    task_id: str
    tenant_id: str
    name: str = ""
    status: str = "active"
    version: int = 1
    schedule_version: int = 1
    # The present schedule's slots count from here on. Edits and resumes move it.
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
    # Its calendars in full: an edit of a calendar edits each task that names it.
    blackouts: tuple[Blackout, ...] = ()
    # What only the API reads and shows: the expression as written, tags, who made it.
    shown: Mapping[str, Any] = field(default_factory=dict)

    @property
    def schedule(self) -> Schedule:
        """Returns the schedule. Each stored schedule is unpacked once."""
        return _unpacked(self.compiled)

    @property
    def closed(self) -> tuple[Calendar, ...]:
        """Returns the calendars in which it does not fire."""
        return calendars_of(self.blackouts) if self.blackouts else ()

    @property
    def queue(self) -> str:
        """Returns the queue of its priority, or the queue of its outside workers."""
        if self.target.get("type") == "pull":
            return pull.queue_of(self.priority, self.target["queue"])
        return QUEUES[self.priority]

    def item(self) -> dict[str, Any]:
        item = {name: getattr(self, name) for name in _WORKED_WITH} | dict(self.shown)
        item["payload"] = payloads.written(self.payload)
        item["blackouts"] = list(self.blackouts) or None
        item["retry"] = {name: getattr(self.retry, name) for name in Retry.__slots__}
        return {"part": SPEC} | {name: value for name, value in item.items() if value is not None}


_WORKED_WITH = tuple(name for name in Task.__slots__ if name != "shown")
_NOT_SHOWN = frozenset({*_WORKED_WITH, "part"})


@lru_cache(4096)
def _unpacked(compiled: bytes) -> Schedule:
    return schedule.unpack(compiled)


def parse(item: Mapping[str, Any]) -> Task:
    """Reads the spec. Fields that the worker does not know are kept."""
    known: dict[str, Any] = {name: item[name] for name in _WORKED_WITH if name in item}
    known["shown"] = {name: item[name] for name in item if name not in _NOT_SHOWN}
    known["payload"] = payloads.read(item["payload"])
    known["retry"] = Retry(**item["retry"])
    known["blackouts"] = tuple(item.get("blackouts", ()))
    # None is not stored. For `allow` it means that there is no bound.
    return Task(**{"max_concurrent": None} | known)


def readable(item: Mapping[str, Any]) -> Task | None:
    """Reads a spec, or returns None if this version cannot. It must not block other runs."""
    try:
        task = parse(item)
        # These may fail. The worker needs them later, when it has the runs of others in hand.
        _ = (task.schedule, task.closed, task.queue)
    except schedule.UNREADABLE:
        return None
    return task


def spec_key(task_id: str) -> dict[str, str]:
    """Returns the key of a task's spec."""
    return part_key(task_id, SPEC)


def cursor_key(task_id: str) -> dict[str, str]:
    """Returns the key of a task's cursor."""
    return part_key(task_id, CURSOR)
