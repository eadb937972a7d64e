"""Defines the answers about runs, dead letters, backfills. Only the document reads these."""

from __future__ import annotations

from typing import Any, Generic, Literal, TypeVar

from pydantic import BaseModel, ConfigDict, Field

from onthedot.api.replies.schedule_replies import Moment, Slot, Told

Each = TypeVar("Each")
LoopStatus = Literal["running", "done", "cancelled"]


class RunRange(Told):
    """Many slots that share one row."""

    begin: Slot = Field(alias="from")
    to: Slot
    count: int | None = Field(description="Null if there are too many to count.")


class RunEntry(Told):
    """A run in a list."""

    run_id: str
    task_id: str
    name: str | None
    tenant_id: str
    origin: Literal["schedule", "task", "manual", "backfill", "catchup", "replay"]
    status: str
    reason: str | None
    completion: Literal["completed", "delivered"] | None
    scheduled_for: Slot | None
    local: str | None
    due_at: Moment | None
    claimed_at: Moment | None
    started_at: Moment | None
    ended_at: Moment | None
    duration_ms: int | None
    attempt: int
    max_attempts: int
    priority: int
    range: RunRange | None
    replay_of: str | None
    replayed_as: str | None = Field(description="The newest run that replays it.")


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


class Run(RunEntry):
    """A run with all of its attempts."""

    note: str | None
    worker: str | None
    lease_until: Moment | None
    retry_at: Moment | None
    lag_ms: int | None
    schedule_version: int
    target: dict[str, Any] | None = Field(description="What its newest attempt called.")
    payload: Any = Field(description="What its newest attempt was given; null if it was purged.")
    result: Any
    error: dict[str, Any] | None
    progress: Any
    attempts: list[Attempt]
    cancel_requested_at: Moment | None
    cancelled_by: str | None
    replayed_by: str | None
    replayed_at: Moment | None
    backfill_id: str | None
    purged_at: Moment | None


class Logs(BaseModel):
    """Log lines of an attempt; a note says why there are none."""

    model_config = ConfigDict(extra="forbid", defer_build=True)

    data: list[dict[str, Any]]
    next_cursor: str | None
    note: str | None = None


class DeadLetter(RunEntry):
    """A dead run in a list."""

    died_at: Moment
    fingerprint: str
    error: dict[str, Any] | None


class ErrorGroup(Told):
    """Dead letters of one error."""

    fingerprint: str
    reason: str
    type: str | None
    message: str | None
    count: int
    first_at: Moment
    last_at: Moment
    sample_run_id: str | None


class CompletePage(Told, Generic[Each]):
    """A list that says whether it is complete."""

    data: list[Each]
    next_cursor: str | None
    complete: bool


class Use(Told):
    """Which payload and which target replays take."""

    payload: Literal["sent", "current"]
    target: Literal["sent", "current"]


class Operation(Told):
    """What is done to many dead letters."""

    operation_id: str
    kind: Literal["replay", "purge"]
    filter: dict[str, str | None]
    use: Use | None = Field(description="What a replay takes; null for a purge.")
    payload_patch: dict[str, Any] | None
    total: int | None = Field(description="How many its plan counted.")
    complete: bool = Field(description="False if there may be more than `total`.")
    done: int
    skipped: int = Field(
        description="Purged meanwhile, of a task that is gone, or of a target not allowed any more."
    )
    left: int | None = Field(description="Still to be done.")
    rate_per_min: int
    status: LoopStatus
    created_at: Moment
    created_by: str
    ended_at: Moment | None


class Backfill(Told):
    """Slots of the past that are run again."""

    backfill_id: str
    task_id: str
    begin: Slot = Field(alias="from")
    to: Slot
    only_missing: bool
    next_slot: Slot | None
    launched: int
    rate_per_min: int
    status: LoopStatus
    created_at: Moment
    created_by: str
    ended_at: Moment | None
