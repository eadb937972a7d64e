"""Defines the answers about schedules, tasks and keys. Only the OpenAPI document reads these."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from onthedot.api.requests.field_models import answered
from onthedot.records import shown_objects
from onthedot.records.tasks import task_fields
from onthedot.records.tasks.task_fields import LISTED

Slot = Annotated[str, Field(pattern=shown_objects.SLOT)]
Moment = Annotated[str, Field(pattern=shown_objects.MOMENT)]
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
    """The answer to a request that failed (RFC 9457)."""

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


_KINDS: dict[str, Any] = {
    "retry": BackoffTold,
    "paused": Paused | None,
    "last_run": LastRun | None,
    "warnings": list[Warned],
}
_STATUS = {"status": Literal["active", "paused", "completed", "invalid", "deleted"]}
_LISTED_STATUS = {"status": Literal["active", "paused", "completed", "invalid"]}
_TASK_STATUS = {"status": Literal["active", "completed", "cancelled"]}


@answered(task_fields.Schedule, _KINDS | _STATUS)
class Schedule(Told):
    """A schedule."""


@answered(
    task_fields.Schedule, _KINDS | _LISTED_STATUS, only=(*LISTED, "next_run_at", "would_run_at")
)
class ScheduleEntry(Told):
    """A schedule in a list."""

    task_id: str
    version: int
    target: dict[str, Any]
    last_run: LastRun | None
    created_at: Moment


@answered(task_fields.Task, _KINDS | _TASK_STATUS)
class Task(Told):
    """A one-off task."""


@answered(task_fields.Task, _KINDS | _TASK_STATUS, only=LISTED)
class TaskEntry(Told):
    """A one-off task in a list."""

    task_id: str
    version: int
    run_at: Slot
    target: dict[str, Any]
    run: dict[str, Any] | None
    created_at: Moment
