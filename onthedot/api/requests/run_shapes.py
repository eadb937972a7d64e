"""Defines the bodies about runs: replays, dead letters, backfills, leases."""

from __future__ import annotations

from typing import Any

from pydantic import Field
from pydantic import model_validator as checked

from onthedot.api.requests.schedule_shapes import Instant
from onthedot.api.requests.target_shapes import Written
from onthedot.records.tasks.kept_versions import Use, Which
from onthedot.upkeep.dead_letter import DeathReason


class UseIn(Written):
    """Which payload and which target a replay takes: what was sent, or what is there now."""

    payload: Which | None = None
    target: Which | None = None

    def use(self) -> Use:
        """Returns both, with defaults for what is not given."""
        return Use(payload=self.payload or "sent", target=self.target or "current")


class ReplayIn(Written):
    """What a replay takes from the old run, and what replaces it: a payload or a merge patch."""

    use: UseIn | None = None
    payload: Any = None
    payload_patch: dict[str, Any] | None = None

    @checked(mode="after")
    def _one_of_both(self) -> ReplayIn:
        if self.payload is None:
            return self
        if self.payload_patch is not None:
            raise ValueError("payload and payload_patch are both given: expected one of them")
        if self.use and self.use.payload:
            raise ValueError("payload and use.payload are both given: expected one of them")
        return self


class DeadIn(Written):
    """Which dead letters are meant: those that match every given field."""

    task_id: str | None = Field(None, max_length=64)
    fingerprint: str | None = Field(None, max_length=64)
    reason: DeathReason | None = None
    from_: Instant | None = Field(None, alias="from")
    to: Instant | None = None
    rate_per_min: int = Field(100, ge=1, le=300)


class DeadReplayIn(DeadIn):
    """What the replays take from the old runs, and a merge patch for each payload."""

    use: UseIn | None = None
    payload_patch: dict[str, Any] | None = None


class BackfillIn(Written):
    """Which slots to run again: from one instant to another, both included."""

    from_: Instant = Field(alias="from")
    to: Instant
    only_missing: bool = True
    rate_per_min: int = Field(60, ge=1, le=1_000)
