"""Lists every field of a schedule and of a one-off task: its type, its limits and its default.

Defaults, bodies, answers, the SDK, the command line and the client are made from this list.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from types import NoneType
from typing import Annotated, Any, Literal, TypedDict, get_args

from onthedot.records.schema import BY_TENANT
from onthedot.records.shown_objects import Json, Moment, Slot, hints


@dataclass(frozen=True, slots=True)
class Rule:
    """What a user may write into a field, and what the field is without that."""

    default: Any
    # Of a text or a number, with pydantic's names. What else there is to check, the API knows.
    limits: Mapping[str, Any]


def rule(default: object = None, **limits: object) -> Rule:
    """Writes a rule with the limits as named arguments."""
    return Rule(default, limits)


class SharedFields(TypedDict, total=False):
    """What a user defines of a schedule and of a one-off task."""

    description: Annotated[str, rule("", max_length=1_000)]
    tags: Annotated[dict[str, str], rule({})]
    target: Annotated[Json, rule({})]
    payload: Annotated[Any, rule({})]
    max_attempts: Annotated[int, rule(3, ge=1, le=100)]
    retry: Annotated[
        Json, rule({"backoff": "exponential", "base_sec": 5, "cap_sec": 900, "jitter": "full"})
    ]
    timeout_sec: Annotated[int, rule(300, ge=1, le=86_400)]
    priority: Annotated[Literal[1, 2, 3], rule(2)]
    misfire_grace_sec: Annotated[int, rule(3_600, ge=0, le=604_800)]
    concurrency_key: Annotated[Json | None, rule()]
    managed_by: Annotated[str, rule("api")]


class WhenFields(TypedDict, total=False):
    """What a user defines of when a schedule fires."""

    cron: Annotated[str | None, rule(max_length=256)]
    every_sec: Annotated[int | None, rule(ge=1, le=31_622_400)]
    seconds: Annotated[Literal["first", "last"], rule("first")]
    timezone: Annotated[str, rule("UTC", max_length=64)]
    dst_mode: Annotated[Literal["auto", "interval", "fixed"], rule("auto")]
    dst_gap: Annotated[Literal["fire", "skip", "shift"], rule("fire")]
    dst_overlap: Annotated[Literal["first", "last", "both"], rule("first")]
    start_at: Annotated[str | None, rule(format="date-time", max_length=64)]
    end_at: Annotated[str | None, rule(format="date-time", max_length=64)]
    max_runs: Annotated[int | None, rule(ge=1, le=1_000_000_000)]
    calendars: Annotated[list[str], rule([])]
    jitter_sec: Annotated[int, rule(0, ge=0, le=86_400)]


class _Named(TypedDict, total=False):
    name: Annotated[str, rule("")]


class _SideBySide(TypedDict, total=False):
    misfire: Annotated[Literal["latest", "all", "none"], rule("latest")]
    overlap: Annotated[Literal["skip", "queue", "cancel_previous", "allow"], rule("skip")]
    max_concurrent: Annotated[int | None, rule(ge=1, le=50)]
    queue_max: Annotated[int, rule(100, ge=1, le=1_000)]
    # Only for this field null is a value of its own: deaths never pause the schedule.
    pause_after_deaths: Annotated[int | None, rule(10, ge=1, le=1_000)]
    status: Annotated[str, rule("active")]


class ScheduleFields(SharedFields, _Named, WhenFields, _SideBySide, total=False):
    """What a user defines of a schedule."""


class Stamped(TypedDict, total=False):
    """Who made it and changed it, and when."""

    created_at: Moment | None
    created_by: str | None
    updated_at: Moment | None
    updated_by: str | None


class _Known(TypedDict, total=False):
    task_id: str
    tenant_id: str
    version: int


class ScheduleState(_Known, Stamped, total=False):
    """What only the system writes about a schedule."""

    schedule_version: int
    paused: Json | None
    explanation: str
    next_run_at: Slot | None
    would_run_at: Slot | None
    runs_left: int | None
    last_run: Json | None
    warnings: list[Json]
    tzdata: str


class Schedule(_Known, _Named, ScheduleFields, ScheduleState, total=False):
    """A schedule, as every answer shows it."""


class TaskState(_Known, Stamped, total=False):
    """What only the system writes about a one-off task."""

    status: str
    run: Json | None


class Task(_Known, SharedFields, TaskState, total=False):
    """A one-off task, as every answer shows it."""

    name: str | None
    run_at: Slot
    idempotency_key: str | None
    warnings: list[Json]


def without_null(kind: Any) -> Any:  # noqa: ANN401 any type
    """Returns the type of what is not null."""
    kinds = get_args(kind)
    return next(each for each in kinds if each is not NoneType) if NoneType in kinds else kind


def _defaults(fields: type) -> dict[str, Any]:
    return {name: hint.__metadata__[0].default for name, hint in hints(fields).items()}


COMMON = _defaults(SharedFields)
# A reader looks for the name first.
SCHEDULE = {"name": "", **_defaults(ScheduleFields)}
WHEN = tuple(hints(WhenFields))
# What the engine compiles with the expression. What calendars exclude, and how many runs there
# were, is looked at later.
COMPILED = tuple(
    name for name in WHEN if name not in ("cron", "every_sec", "max_runs", "calendars")
)
STAMPS = tuple(hints(Stamped))
# The fields that the index of a tenant's schedules carries.
LISTED = {name: SCHEDULE[name] for name in BY_TENANT.carries if name in SCHEDULE}
SCHEDULE_READ_ONLY = frozenset(hints(ScheduleState))
TASK_READ_ONLY = frozenset(hints(TaskState))
