"""Defines the bodies of actions on schedules, tasks and keys."""

from __future__ import annotations

from typing import Annotated, Any, Literal

from pydantic import Field

from onthedot.api.door import patterns
from onthedot.api.requests.schedule_shapes import Instant
from onthedot.api.requests.target_shapes import Written


class RescheduleIn(Written):
    """The new time of a task."""

    run_at: Instant | None = None
    delay_sec: int | None = Field(None, ge=0, le=31_622_400)

    def given(self) -> dict[str, Any]:
        """Returns the fields that were sent."""
        return self.model_dump(exclude_none=True)


class KeyIn(Written):
    """What a new key may do, and until when."""

    role: Literal["admin", "write", "read", "worker"]
    name: str | None = Field(None, max_length=200)
    expires_at: Instant | None = None
    queues: list[Annotated[str, Field(pattern=patterns.QUEUE)]] | None = Field(
        None,
        min_length=1,
        max_length=20,
        description="The `pull` queues of a worker's key. Null: every queue of the tenant.",
    )


class PauseIn(Written):
    """Why it is paused, and for how long: without an end, until it is resumed."""

    reason: str | None = Field(None, max_length=1_000)
    until: Instant | None = None


class ResumeIn(Written):
    """Whether the slots that passed meanwhile run now."""

    catchup: Literal["none", "latest", "all"] | None = None


class TriggerIn(Written):
    """The payload of a manual run, if not the schedule's own, and when it is due."""

    payload: Any = None
    due_at: Instant | None = None
