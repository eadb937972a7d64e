"""Defines the answers about calendars, tenants, screens. Only the OpenAPI document reads these."""

from __future__ import annotations

from typing import Any, Literal

from pydantic import Field

from onthedot.api.replies.run_replies import CompletePage, RunEntry
from onthedot.api.replies.schedule_replies import Moment, Slot, Told
from onthedot.api.requests.field_models import answered
from onthedot.records import shown_objects


@answered(shown_objects.Calendar, {})
class Calendar(Told):
    """Days or minutes in which nothing fires."""


class Hour(Told):
    """What ended in the last hour, in figures."""

    succeeded: int
    dead: int
    missed: int
    skipped: int
    cancelled: int
    attempts: int
    leases_lost: int
    success_percent: float | None


class Minute(Told):
    """What became of the runs that were due in a minute."""

    at: Slot
    succeeded: int
    dead: int
    missed: int
    skipped: int
    cancelled: int


class Attention(Told):
    """The newest runs of each kind that needs attention."""

    dead: list[RunEntry]
    missed: list[RunEntry]
    retrying: list[RunEntry]
    long: list[RunEntry]


class TasksUsed(Told):
    """How much of the quota is used."""

    used: int
    max: int


class Scheduler(Told):
    """When the scheduler itself was last at work."""

    state: Literal["ok", "late", "stopped", "unknown"]
    ticked_at: Moment | None
    audited_at: Moment | None
    circuit_open: bool


class Overview(Told):
    """One screen."""

    last_hour: Hour
    minutes: list[Minute]
    attention: Attention
    tasks: TasksUsed
    scheduler: Scheduler


class ComingFire(Told):
    """One of the next fires."""

    at: Slot
    due_at: Moment
    local: str
    timezone: str
    task_id: str
    name: str | None
    priority: int
    excluded_by: str | None


class ComingFires(CompletePage[ComingFire]):
    """What fires next, as read at `as_of`."""

    as_of: Moment


class Hottest(Told):
    """When most runs are due, and how many."""

    at: Slot
    count: int


class Heat(Told):
    """How many runs are due in each stretch of time."""

    from_: Slot = Field(alias="from")
    to: Slot
    bucket_sec: int
    counts: list[int]
    total: int
    hottest: Hottest | None
    complete: bool
    as_of: Moment


class TrailEntry(Told):
    """Who did what, when, with which key."""

    at: Moment
    key_id: str
    what: str
    about: str
    request_id: str | None
    before: dict[str, Any]
    after: dict[str, Any]


class Tenant(Told):
    """What a tenant may use, and how much of it is used."""

    tenant_id: str
    tasks: int
    tasks_max: int
    running_max: int | None
    requests_per_min: int
    targets: list[str] | None = Field(
        description="What its runs may call, apart from http addresses and `pull` queues. Null: "
        "there is no list, so only the deployment's setting limits it."
    )
