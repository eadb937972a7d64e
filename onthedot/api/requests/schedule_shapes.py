"""Defines the bodies of schedules and tasks: names, types and limits, but not their meaning."""

from __future__ import annotations

from typing import Annotated, Any, ClassVar, Literal

from pydantic import Field, ModelWrapValidatorHandler, PrivateAttr
from pydantic import model_validator as checked

from onthedot.api.door import patterns
from onthedot.api.requests.field_models import written
from onthedot.api.requests.target_shapes import Target, Written
from onthedot.records.tasks import task_fields
from onthedot.records.tasks.task_fields import SCHEDULE_READ_ONLY, TASK_READ_ONLY

Instant = Annotated[str, Field(json_schema_extra={"format": "date-time"}, max_length=64)]
Tags = Annotated[
    dict[Annotated[str, Field(min_length=1, max_length=64)], Annotated[str, Field(max_length=128)]],
    Field(max_length=20),
]
CalendarId = Annotated[str, Field(min_length=1, max_length=64)]
Seconds = Annotated[int, Field(ge=1, le=86_400)]


class Rate(Written):
    """At most `count` starts in `per_sec` seconds."""

    count: int = Field(ge=1, le=1_000_000)
    per_sec: Seconds


class ConcurrencyKey(Written):
    """Runs that share a key share its limits."""

    key: str = Field(min_length=1, max_length=256)
    max_running: int | None = Field(None, ge=1, le=1_000)
    rate: Rate | None = None


class Backoff(Written):
    """How long to wait before the next attempt."""

    backoff: Literal["exponential", "fixed"] | None = None
    base_sec: Seconds | None = None
    cap_sec: Seconds | None = None
    jitter: Literal["full", "none"] | None = None


# The types that only the API knows. All others are in the list of fields.
_KINDS: dict[str, Any] = {
    "name": Annotated[str, Field(pattern=patterns.NAME)],
    "tags": Tags,
    "target": Target,
    "retry": Backoff,
    "concurrency_key": ConcurrencyKey,
    "managed_by": Annotated[str, Field(max_length=128, pattern=patterns.OWNER)],
    "calendars": Annotated[list[CalendarId], Field(max_length=8)],
    "status": Literal["active", "paused", "completed", "invalid"],
}


class Definition(Written):
    """What schedules and tasks have in common; null means the default."""

    READ_ONLY: ClassVar[frozenset[str]]

    _read_only: dict[str, Any] = PrivateAttr(default_factory=dict)

    @checked(mode="wrap")
    @classmethod
    def _apart(cls, value: Any, build: ModelWrapValidatorHandler[Definition]) -> Definition:  # noqa: ANN401 any JSON
        """Puts read-only fields aside. Whether they have their present values is checked later."""
        aside: dict[str, Any] = {}
        if isinstance(value, dict):
            aside = {name: value[name] for name in value if name in cls.READ_ONLY}
            value = {name: value[name] for name in value if name not in aside}
        made = build(value)
        made._read_only = aside  # noqa: SLF001  # a field of its own class
        return made

    def given(self) -> dict[str, Any]:
        """Returns the fields that were sent. Null counts as not sent."""
        return self.model_dump(exclude_none=True)

    def patch(self) -> dict[str, Any]:
        """Returns the fields that were sent, with nulls."""
        return self.model_dump(exclude_unset=True)

    def read_only(self) -> dict[str, Any]:
        """Returns read-only fields that were sent all the same."""
        return self._read_only


@written(task_fields.ScheduleFields, _KINDS)
class ScheduleFields(Definition):
    """A schedule, or a part of one."""

    READ_ONLY = SCHEDULE_READ_ONLY

    def given(self) -> dict[str, Any]:
        """Returns the fields that were sent. Null means the default, or no limit of deaths."""
        field = "pause_after_deaths"
        never = field in self.model_fields_set and getattr(self, field) is None
        return super().given() | ({field: None} if never else {})


class SchedulePatch(ScheduleFields):
    """A merge patch. Fields that are objects are checked after the patch is applied."""

    tags: Any = None
    target: Any = None
    retry: Any = None
    concurrency_key: Any = None


class ScheduleIn(ScheduleFields):
    """A whole schedule."""

    name: str = Field(pattern=patterns.NAME)
    target: Target


@written(task_fields.SharedFields, _KINDS)
class _Task(Definition):
    """What a one-off task has in common with a schedule."""

    READ_ONLY = TASK_READ_ONLY


class TaskIn(_Task):
    """A one-off task."""

    target: Target
    name: str | None = Field(None, pattern=patterns.NAME)
    run_at: Instant | None = None
    delay_sec: int | None = Field(None, ge=0, le=31_622_400)
    idempotency_key: str | None = Field(None, min_length=1, max_length=255)
    idempotency_ttl_sec: int | None = Field(None, ge=60, le=2_592_000)


class TasksIn(Written):
    """Many tasks, each checked by itself."""

    tasks: list[dict[str, Any]] = Field(min_length=1, max_length=100)


@written(task_fields.WhenFields, _KINDS)
class PreviewIn(Written):
    """A schedule that is not saved."""

    run_at: Instant | None = None
    seed: str | None = Field(None, max_length=64)
    from_: Instant | None = Field(None, alias="from")
    count: int | None = Field(None, ge=1, le=100)
    viewer_timezone: str | None = Field(None, max_length=64)
