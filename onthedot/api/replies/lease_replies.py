"""Defines the answers about leases. Only the OpenAPI document reads these."""

from __future__ import annotations

from pydantic import Field

from onthedot.api.replies.run_replies import Run
from onthedot.api.replies.schedule_replies import Moment, Slot, Told
from onthedot.api.requests.field_models import answered
from onthedot.records import shown_objects


@answered(shown_objects.Lease, {"run": Run})
class Lease(Told):
    """A run that the worker has leased."""


class Leases(Told):
    """The runs that a worker has leased."""

    data: list[Lease]
    ask_again_in_sec: int | None = Field(
        description="Wait this long before the next request: too many of the tenant's requests "
        "wait for work already. Null otherwise."
    )


class Kept(Told):
    """Until when the lease holds, and whether the worker should stop."""

    lease_until: Moment
    cancel_requested: bool


@answered(shown_objects.Step, {})
class Step(Told):
    """Whether a step's effect is recorded, and as what."""


class PreviousSuccess(Told):
    """The slot that last succeeded before the run; of a manual run, the time it was due."""

    previous_success: Slot | Moment | None
