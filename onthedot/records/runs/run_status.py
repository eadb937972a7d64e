"""Names the statuses of a run, and the reasons that it may have for them."""

from __future__ import annotations

from enum import StrEnum
from typing import Self, assert_never


class _Word(StrEnum):
    """A word of a row. One that only a newer release knows is read as it is, and equals no other.

    It is compared and shown as text. What is stored is its `value`, which is plain text.
    """

    @classmethod
    def _missing_(cls, value: object) -> Self | None:
        if not isinstance(value, str):
            return None
        word = str.__new__(cls, value)
        word._name_ = word._value_ = value
        return word


class Status(_Word):
    """What a run is doing, or how it ended."""

    CLAIMED = "claimed"
    # It is shown, never stored: the row of a run in a line is claimed.
    WAITING = "waiting"
    RUNNING = "running"
    AWAITING = "awaiting"
    RETRYING = "retrying"
    SUCCEEDED = "succeeded"
    DEAD = "dead"
    SKIPPED = "skipped"
    MISSED = "missed"
    CANCELLED = "cancelled"


class Reason(_Word):
    """Why a run has its status."""

    # A run that was claimed, runs or succeeded needs none.
    NONE = ""

    # Of a run that retries.
    FAILED = "failed"
    TIMED_OUT = "timed_out"
    LOST = "lost"
    YIELDED = "yielded"
    RELEASED = "released"
    # Of a run that awaits the end of what its target took over.
    CALLBACK = "callback"
    EXECUTION = "execution"
    # Of a run that waits. A skipped run may have the first one, too.
    OVERLAP = "overlap"
    CONCURRENCY_KEY = "concurrency_key"
    TENANT = "tenant"
    RATE = "rate"
    LANE = "lane"
    # Of a dead run.
    ATTEMPTS_EXHAUSTED = "attempts_exhausted"
    PERMANENT = "permanent"
    HANDLER_NOT_FOUND = "handler_not_found"
    TARGET_FORBIDDEN = "target_forbidden"
    PAYLOAD_UNREADABLE = "payload_unreadable"
    UNDELIVERABLE = "undeliverable"
    # Of a skipped run.
    HANDLER = "handler"
    QUEUE_FULL = "queue_full"
    PAUSED = "paused"
    CALENDAR = "calendar"
    DST_GAP = "dst_gap"
    COALESCED = "coalesced"
    ENDED = "ended"
    SUPERSEDED = "superseded"
    # Of a missed slot.
    OUTSIDE_GRACE = "outside_grace"
    POLICY_NONE = "policy_none"
    CIRCUIT_OPEN = "circuit_open"
    QUARANTINED = "quarantined"
    UNACCOUNTED = "unaccounted"
    # Of a cancelled run.
    USER = "user"
    PREVIOUS = "previous"
    TASK_DELETED = "task_deleted"
    TASK_CANCELLED = "task_cancelled"


def _ends(status: Status) -> bool:
    match status:
        case Status.CLAIMED | Status.WAITING | Status.RUNNING | Status.AWAITING | Status.RETRYING:
            return False
        case Status.SUCCEEDED | Status.DEAD | Status.SKIPPED | Status.MISSED | Status.CANCELLED:
            return True
        case _:
            assert_never(status)


FINAL = frozenset(filter(_ends, Status))
OPEN = frozenset(Status) - FINAL
# A worker may start such a run without asking what became of another attempt.
NOT_STARTED = frozenset({Status.CLAIMED, Status.RETRYING})
