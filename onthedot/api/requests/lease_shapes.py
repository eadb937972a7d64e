"""Defines the bodies of outside workers: which runs they want, and what became of theirs."""

from __future__ import annotations

from typing import Annotated, Any

from pydantic import Field

from onthedot.api.door import patterns
from onthedot.api.requests.target_shapes import Written
from onthedot.records.runs.steps import STEP_MAX

LeaseSec = Annotated[int, Field(ge=10, le=3_600)]
Attempt = Annotated[int, Field(ge=1)]


class LeaseIn(Written):
    """Up to `max` runs of a queue; `wait_sec` is how long to wait for one."""

    queue: str = Field(pattern=patterns.QUEUE)
    max: int = Field(1, ge=1, le=10)
    wait_sec: int = Field(5, ge=0, le=20)
    lease_sec: LeaseSec = 60
    worker: str = Field("", max_length=128)


class HeartbeatIn(Written):
    """The attempt goes on."""

    attempt: Attempt
    lease_sec: LeaseSec = 60
    progress: Any = None


class CompleteIn(Written):
    """The attempt did its work, or had nothing to do: then `skipped` says why."""

    attempt: Attempt
    result: Any = None
    skipped: str | None = Field(None, max_length=1_000)


class OnceIn(Written):
    """A step of the run; with `value`, its effect is done."""

    attempt: Attempt
    key: str = Field(min_length=1, max_length=STEP_MAX)
    value: Any = None


class ErrorIn(Written):
    """What went wrong. The API adds the fingerprint."""

    type: str = Field("Error", max_length=200)
    message: str = ""
    stack: str = ""
    fingerprint: str = Field("", max_length=64)


class FailIn(Written):
    """The attempt failed; with `release` it does not count."""

    attempt: Attempt
    error: ErrorIn | str | None = None
    permanent: bool = False
    retry_in_sec: int | None = Field(None, ge=0, le=31_622_400)
    release: bool = False
    checkpoint: Any = None
