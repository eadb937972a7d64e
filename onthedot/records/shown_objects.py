"""Lists the fields of runs, dead letters, backfills, calendars and keys, as answers show them.

Answers and the client's types are made from this list.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypedDict, get_type_hints

Json = dict[str, Any]
SLOT = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ$"
MOMENT = r"^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$"


@dataclass(frozen=True, slots=True)
class Form:
    """How a text in an answer looks."""

    pattern: str


@dataclass(frozen=True, slots=True)
class Meaning:
    """What the OpenAPI document says about a field of an answer."""

    text: str


Slot = Annotated[str, Form(SLOT)]
Moment = Annotated[str, Form(MOMENT)]
LoopStatus = Literal["running", "done", "cancelled"]


def hints(fields: type) -> dict[str, Any]:
    """Returns the type of each field, with what is noted beside it."""
    return get_type_hints(fields, include_extras=True)


class RunEntry(TypedDict, total=False):
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
    range: Json | None
    replay_of: str | None
    replayed_as: Annotated[str | None, Meaning("The newest run that replays it.")]


class Run(RunEntry, total=False):
    """A run with all of its attempts."""

    note: str | None
    worker: str | None
    lease_until: Moment | None
    retry_at: Moment | None
    called_at: Annotated[
        Moment | None, Meaning("When its first attempt called the target; null if not noted.")
    ]
    lag_ms: int | None
    schedule_version: int
    target: Annotated[Json | None, Meaning("What its newest attempt called.")]
    payload: Annotated[Any, Meaning("What its newest attempt was given; null if it was purged.")]
    result: Any
    error: Json | None
    progress: Any
    attempts: list[Json]
    cancel_requested_at: Moment | None
    cancelled_by: str | None
    replayed_by: str | None
    replayed_at: Moment | None
    backfill_id: str | None
    purged_at: Moment | None


class Lease(TypedDict, total=False):
    """A run that the worker has leased, until `lease_until` unless it is extended."""

    run: Run
    attempt: int
    lease_until: Moment
    deadline: Moment
    checkpoint: Any


class Step(TypedDict):
    """Whether a step's effect is recorded, and as what."""

    recorded: bool
    value: Any


class DeadLetter(RunEntry, total=False):
    """A dead run in a list."""

    died_at: Moment
    fingerprint: str
    error: Json | None


class ErrorGroup(TypedDict, total=False):
    """Dead letters of one error."""

    fingerprint: str
    reason: str
    type: str | None
    message: str | None
    count: int
    first_at: Moment
    last_at: Moment
    sample_run_id: str | None


class Operation(TypedDict, total=False):
    """What is done to many dead letters."""

    operation_id: str
    kind: Literal["replay", "purge"]
    filter: dict[str, str | None]
    use: Annotated[Json | None, Meaning("What a replay takes; null for a purge.")]
    payload_patch: Json | None
    total: Annotated[int | None, Meaning("How many its plan counted.")]
    complete: Annotated[bool, Meaning("False if there may be more than `total`.")]
    done: int
    skipped: Annotated[
        int,
        Meaning("Purged meanwhile, of a task that is gone, or of a target not allowed any more."),
    ]
    left: Annotated[int | None, Meaning("Still to be done.")]
    rate_per_min: int
    status: LoopStatus
    created_at: Moment
    created_by: str
    ended_at: Moment | None


class Backfill(TypedDict, total=False):
    """Slots of the past that are run again. `from` is a word of Python, so it is not typed."""

    backfill_id: str
    task_id: str
    to: Slot
    only_missing: bool
    next_slot: Slot | None
    launched: int
    rate_per_min: int
    status: LoopStatus
    created_at: Moment
    created_by: str
    ended_at: Moment | None


class Calendar(TypedDict, total=False):
    """Days or minutes in which nothing fires."""

    calendar_id: str
    timezone: str
    dates: list[str]
    cron: str | None
    description: str
    version: int
    updated_at: Moment
    updated_by: str


class Key(TypedDict, total=False):
    """An API key, without its text."""

    key_id: str
    name: str
    role: str
    queues: Annotated[
        list[str] | None,
        Meaning("The `pull` queues of a worker's key. Null: every queue of the tenant."),
    ]
    created_at: Moment
    expires_at: Slot | None
    revoked_at: Moment | None
    last_used_at: Moment | None
    warnings: Annotated[
        list[str],
        Meaning("A sentence, if no admin key of the first tenant is left once this one expires."),
    ]


class NewKey(Key, total=False):
    """An API key with its text, which is shown only once."""

    key: str
