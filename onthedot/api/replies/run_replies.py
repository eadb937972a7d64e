"""Defines the answers about runs, dead letters, backfills. Only the document reads these."""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from onthedot.api.replies.schedule_replies import Moment, Slot, Told
from onthedot.api.requests.field_models import answered
from onthedot.records import shown_objects

Each = TypeVar("Each")


class RunRange(Told):
    """Many slots that share one row."""

    begin: Slot = Field(alias="from")
    to: Slot
    count: int | None = Field(description="Null if there are too many to count.")


_KINDS: dict[str, Any] = {"range": RunRange | None}


@answered(shown_objects.RunEntry, _KINDS)
class RunEntry(Told):
    """A run in a list."""


class LogPlace(Told):
    """Where an attempt's log is kept."""

    group: str | None
    stream: str


class Attempt(Told):
    """One execution."""

    attempt: int
    worker: str | None
    version: int | None = Field(
        description="The version of its schedule or task that it used; null if not noted."
    )
    started_at: Moment | None
    ended_at: Moment | None
    duration_ms: int | None
    outcome: str | None
    error: dict[str, Any] | None
    log: LogPlace | None


@answered(shown_objects.Run, _KINDS | {"attempts": list[Attempt]})
class Run(Told):
    """A run with all of its attempts."""


class Logs(BaseModel):
    """Log lines of an attempt; a note says why there are none."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    data: list[dict[str, Any]]
    next_cursor: str | None
    note: str | None = None


@answered(shown_objects.DeadLetter, _KINDS)
class DeadLetter(Told):
    """A dead run in a list."""


@answered(shown_objects.ErrorGroup, {})
class ErrorGroup(Told):
    """Dead letters of one error."""


class CompletePage(Told, Generic[Each]):
    """A list that says whether it is complete."""

    data: list[Each]
    next_cursor: str | None
    complete: bool


class Use(Told):
    """Which payload and which target replays take."""

    payload: Literal["sent", "current"]
    target: Literal["sent", "current"]


@answered(shown_objects.Operation, {"use": Use | None})
class Operation(Told):
    """What is done to many dead letters."""


@answered(shown_objects.Backfill, {})
class Backfill(Told):
    """Slots of the past that are run again."""

    begin: Slot = Field(alias="from")
