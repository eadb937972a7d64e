"""Defines the answers about leases. Only the OpenAPI document reads these."""

from __future__ import annotations

from typing import Any

from pydantic import Field

from onthedot.api.replies.run_replies import Run
from onthedot.api.replies.schedule_replies import Moment, Slot, Told


class Lease(Told):
    """A run that now is the worker's."""

    run: Run
    attempt: int
    lease_until: Moment
    deadline: Moment
    checkpoint: Any


class Leases(Told):
    """What a worker got."""

    data: list[Lease]
    ask_again_in_sec: int | None = Field(
        description="Wait this long before the next request: as many of the tenant's requests as "
        "may wait for work were waiting already. Null otherwise."
    )


class Kept(Told):
    """Until when, and whether it is to stop."""

    lease_until: Moment
    cancel_requested: bool


class Step(Told):
    """Whether a step's effect is recorded, and as what."""

    recorded: bool
    value: Any


class PreviousSuccess(Told):
    """The slot that last succeeded before the run, or when a manual run was due that did."""

    previous_success: Slot | Moment | None
