"""Leases as they are answered: only the OpenAPI document reads these."""

from __future__ import annotations

from typing import Any

from onthedot.api.replies import Moment, Told
from onthedot.api.replies_runs import Run


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


class Kept(Told):
    """Until when, and whether it is to stop."""

    lease_until: Moment
    cancel_requested: bool
