"""Defines the answers of the API, as far as programs rely on them. Other fields are kept too."""

from __future__ import annotations

from typing import Any, TypedDict

Json = dict[str, Any]


class Run(TypedDict, total=False):
    """One firing of a task."""

    run_id: str
    task_id: str
    name: str | None
    origin: str
    status: str
    reason: str | None
    scheduled_for: str | None
    due_at: str
    started_at: str | None
    ended_at: str | None
    attempt: int
    max_attempts: int
    replayed_as: str | None
    target: Json | None
    payload: Any
    result: Any
    error: Json | None
    attempts: list[Json]


class Lease(TypedDict, total=False):
    """A run in the hands of a worker, until `lease_until` unless it is extended."""

    run: Run
    attempt: int
    lease_until: str
    deadline: str
    checkpoint: Any


class Step(TypedDict):
    """Whether a step of a run is recorded, and its value."""

    recorded: bool
    value: Any


class DeadLetter(Run):
    """A run that died, and why."""

    died_at: str
    fingerprint: str


class ErrorGroup(TypedDict, total=False):
    """Dead letters of one error."""

    fingerprint: str
    reason: str
    type: str | None
    message: str | None
    count: int
    first_at: str
    last_at: str
    sample_run_id: str | None


class Operation(TypedDict, total=False):
    """Work on many dead letters."""

    operation_id: str
    kind: str
    total: int | None
    complete: bool
    done: int
    skipped: int
    left: int | None
    rate_per_min: int
    status: str
    created_at: str
    ended_at: str | None


class Backfill(TypedDict, total=False):
    """Past slots that run again."""

    backfill_id: str
    task_id: str
    to: str
    only_missing: bool
    next_slot: str | None
    launched: int
    rate_per_min: int
    status: str
    created_at: str
    ended_at: str | None


class Calendar(TypedDict, total=False):
    """Days or minutes in which nothing fires."""

    calendar_id: str
    timezone: str
    dates: list[str]
    cron: str | None
    description: str
    version: int
    updated_at: str


class Key(TypedDict, total=False):
    """A key to the API. `key` is its text, shown only when it is made."""

    key_id: str
    key: str
    name: str
    role: str
    created_at: str
    expires_at: str | None
    revoked_at: str | None
    last_used_at: str | None
