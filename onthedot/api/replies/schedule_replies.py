"""Defines the answers about schedules, tasks and keys. Only the OpenAPI document reads these."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

Slot = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$")]
Moment = Annotated[str, Field(pattern=r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$")]
Tags = dict[str, str]


class Told(BaseModel):
    """An answer: all of its fields are always there, and there are no others."""

    model_config = ConfigDict(extra="forbid", defer_build=True)


class Error(Told):
    """One thing that is wrong, and where."""

    pointer: str
    code: str
    message: str
    field: str
    position: list[int] | None
    suggestion: str | None


class Problem(BaseModel):
    """An answer that is no success (RFC 9457)."""

    type: str
    title: str
    status: int
    code: str
    detail: str
    instance: str
    request_id: str
    errors: list[Error] = []


class BackoffTold(Told):
    """How long to wait before the next attempt."""

    backoff: Literal["exponential", "fixed"]
    base_sec: int
    cap_sec: int
    jitter: Literal["full", "none"]


class Paused(Told):
    """Since when it is paused, by whom and why."""

    at: Moment
    by: str
    reason: str | None
    until: Moment | None


class LastRun(Told):
    """The newest slot and its status."""

    run_id: str
    scheduled_for: Slot
    status: str


class Warned(Told):
    """What a person should know before saving a schedule."""

    code: str
    detail: str
    date: str | None


class Stamped(Told):
    """Who made it and changed it, and when."""

    created_at: Moment | None
    created_by: str | None
    updated_at: Moment | None
    updated_by: str | None


class Timing(Told):
    """When it fires."""

    cron: str | None
    every_sec: int | None
    seconds: Literal["first", "last"]
    timezone: str
    dst_mode: Literal["auto", "interval", "fixed"]
    dst_gap: Literal["fire", "skip", "shift"]
    dst_overlap: Literal["first", "last", "both"]
    start_at: str | None
    end_at: str | None
    calendars: list[str]
    jitter_sec: int
    next_run_at: Slot | None
    would_run_at: Slot | None


class Schedule(Timing, Stamped):
    """A schedule."""

    task_id: str
    tenant_id: str
    version: int
    schedule_version: int
    name: str
    description: str
    tags: Tags
    max_runs: int | None
    misfire: Literal["latest", "all", "none"]
    misfire_grace_sec: int
    overlap: Literal["skip", "queue", "cancel_previous", "allow"]
    max_concurrent: int | None
    queue_max: int
    pause_after_deaths: int | None
    target: dict[str, Any]
    payload: Any
    max_attempts: int
    retry: BackoffTold
    timeout_sec: int
    priority: Literal[1, 2, 3]
    concurrency_key: dict[str, Any] | None
    status: Literal["active", "paused", "completed", "invalid", "deleted"]
    paused: Paused | None
    managed_by: str
    explanation: str
    runs_left: int | None
    last_run: LastRun | None
    warnings: list[Warned]
    tzdata: str


class ScheduleEntry(Timing):
    """A schedule in a list."""

    task_id: str
    version: int
    name: str
    status: Literal["active", "paused", "completed", "invalid"]
    target: dict[str, Any]
    tags: Tags
    priority: Literal[1, 2, 3]
    managed_by: str
    last_run: LastRun | None
    created_at: Moment


class Task(Stamped):
    """A one-off task."""

    task_id: str
    tenant_id: str
    version: int
    name: str | None
    description: str
    tags: Tags
    run_at: Slot
    idempotency_key: str | None
    target: dict[str, Any]
    payload: Any
    max_attempts: int
    retry: BackoffTold
    timeout_sec: int
    priority: Literal[1, 2, 3]
    misfire_grace_sec: int
    concurrency_key: dict[str, Any] | None
    managed_by: str
    status: Literal["active", "completed", "cancelled"]
    run: dict[str, Any] | None
    warnings: list[Warned]


class TaskEntry(Told):
    """A one-off task in a list."""

    task_id: str
    version: int
    name: str | None
    run_at: Slot
    status: Literal["active", "completed", "cancelled"]
    target: dict[str, Any]
    tags: Tags
    priority: Literal[1, 2, 3]
    managed_by: str
    run: dict[str, Any] | None
    created_at: Moment
