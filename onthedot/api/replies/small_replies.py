"""Defines the answers about plans, previews, slots, keys, lists. Only the document reads these."""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeVar

from pydantic import Field

from onthedot.api.replies.schedule_replies import Moment, Problem, Slot, Task, Told, Warned
from onthedot.api.requests.field_models import answered
from onthedot.records import shown_objects

Each = TypeVar("Each")


class Health(Told):
    """How the scheduler is. `down`, with 503: no tick for three minutes."""

    status: Literal["ok", "degraded", "down"]
    tick: Literal["ok", "late", "stopped", "unknown"] = Field(
        description="`late` after 90 s without a tick, `stopped` after 180 s."
    )
    audit: Literal["ok", "late", "stopped", "unknown"] = Field(
        description="`late` after 90 s without an audit, `stopped` after 180 s."
    )
    queue: Literal["ok", "behind", "unknown"] = Field(
        description="`behind` when more than 500 due messages wait for a worker."
    )
    tzdata: str = Field(description="The version of the time zone data.")


class Page(Told, Generic[Each]):
    """A page of a list: full, unless it is the last one or 1,000 entries were read for it."""

    data: list[Each]
    next_cursor: str | None


class Plan(Told):
    """What would happen. The same request with the token carries it out."""

    plan_token: str
    expires_at: Moment
    effects: dict[str, Any]


class Fire(Told):
    """One slot, in the schedule's zone and in the viewer's."""

    at: Slot
    due_at: Moment
    local: str
    viewer: str
    note: str | None
    note_code: str | None


class Fires(Told):
    """The coming slots."""

    fires: list[Fire]


class PerDay(Told):
    """How often it fires in 24 hours."""

    min: int
    max: int


class Collisions(Told):
    """How many of the tenant's schedules fire in the same minute as its first."""

    same_minute: int
    complete: bool


class Preview(Told):
    """What a schedule means."""

    explanation: str
    fires: list[Fire]
    warnings: list[Warned]
    seed: str
    tzdata: str
    per_day: PerDay
    collisions: Collisions


class Zones(Told):
    """The zones that a schedule may be in."""

    timezones: list[str]
    tzdata: str


class Range(Told):
    """Many slots that share one row."""

    begin: Slot = Field(alias="from")
    to: Slot
    # None if there were too many slots to count.
    count: int | None


class SlotEntry(Told):
    """A slot with its outcome."""

    scheduled_for: Slot
    local: str
    note: str | None
    status: str
    reason: str | None
    run_id: str | None
    range: Range | None


@answered(shown_objects.Key, {})
class Key(Told):
    """An API key, without its text."""


@answered(shown_objects.NewKey, {})
class NewKey(Told):
    """An API key with its text, which is shown only once."""


class BatchResult(Told):
    """The result of one task of a batch."""

    status: int
    task: Task | None = None
    problem: Problem | None = None


class BatchResults(Told):
    """The result of each task, in order."""

    data: list[BatchResult]
