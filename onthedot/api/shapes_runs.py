"""What callers write about runs: replays, dead letters, backfills, leases."""

from __future__ import annotations

from typing import Any

from pydantic import model_validator as checked

from onthedot.api.shapes_target import Written


class ReplayIn(Written):
    """What a replay gets instead of the old run's payload: another one, or a merge patch."""

    payload: Any = None
    payload_patch: dict[str, Any] | None = None

    @checked(mode="after")
    def _one_of_both(self) -> ReplayIn:
        if self.payload is not None and self.payload_patch is not None:
            raise ValueError("payload and payload_patch exclude one another: expected one of them")
        return self
