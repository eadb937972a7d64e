"""Describes a run's row: its life, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from onthedot.records import attributes
from onthedot.records.keys import item_key, row_of, run_id
from onthedot.records.runs.run_status import FINAL, Reason, Status

TABLE = "runs"
# The value of `waited` for a regular slot that waits behind late ones.
BEHIND = "catchup"
# What it says of a run whose tenant has its share of a worker that slow runs keep.
LANE = "lane"


@dataclass(frozen=True, slots=True, kw_only=True)
class Claim:
    """Who sends a run that has not started, and until when others leave it alone."""

    by: str
    # 0 if anybody may send it at once.
    until_ms: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class Booking:
    """When the rate of its concurrency key lets it start."""

    at_ms: int
    # Milliseconds by which the rate's line was behind the clock at the booking.
    behind_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Attempt:
    """The newest start of a run. Its number and its owner are the fence of every later write."""

    number: int
    owner: str
    msg: str
    # Until when the run is its owner's. 0 after the attempt.
    lease_ms: int
    started_ms: int
    # When the run started first, if another start followed or will follow.
    first_started_ms: int | None = None
    # The version of the spec that it uses. 0 if that was not recorded.
    version: int = 0
    # The log of its worker. An outside worker has none here.
    log: str = ""
    # The name of the execution that an awaiting run is polled for.
    waits_on: str = ""

    @property
    def run_started_ms(self) -> int:
        """Returns when the run started first."""
        return self.first_started_ms or self.started_ms


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a run ended, beside its status and its reason."""

    ended_ms: int
    note: str = ""
    # Its target only took the work over and does not report its end.
    delivered: bool = False
    result: Any = None
    error: Any = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """What changes together: one map attribute, so that one assignment changes all of it.

    It is stored flat, as one map of short names. A part that does not exist is not stored.
    """

    status: Status
    reason: Reason = Reason.NONE
    # The newest version of the task that this run is known to obey.
    tv: int
    schedule_version: int
    due_ms: int
    # When it was due before any retry. Lateness counts from here.
    first_due_ms: int | None = None
    # When its first attempt called the target. None: it never did, or did not report it.
    called_ms: int | None = None
    # 0 for a row that is only a record: nobody was to send it.
    claimed_ms: int = 0
    claim: Claim | None = None
    attempt: Attempt | None = None
    end: End | None = None
    # An edit dropped the slot and gave its place to another, so no later edit may restore it.
    dropped: Reason = Reason.NONE
    # Why the first start waited: in a line, or for a rate. Such a start is not late by our fault.
    waited: str = ""
    # How often SQS gave up on a message of it.
    buried: int = 0
    # Attempts that gave the run back themselves. They do not count for max_attempts.
    released: int = 0
    # The gate of its concurrency key.
    key_gate: str = ""
    booking: Booking | None = None
    # The permit that its newest attempt took, if the tenant has a quota.
    permit: str = ""
    # What an attempt that asked for another time left for the next one.
    checkpoint: Any = None
    progress: Any = None
    # What is kept of earlier attempts.
    attempts: tuple[Mapping[str, Any], ...] = ()

    @property
    def starts(self) -> int:
        """Returns how often it was started."""
        return self.attempt.number if self.attempt else 0

    @property
    def lease_ms(self) -> int:
        """Returns until when it is a worker's. 0 if it is nobody's."""
        return self.attempt.lease_ms if self.attempt else 0

    @property
    def its_attempt(self) -> Attempt:
        """Returns the newest attempt of a run that has started."""
        if self.attempt is None:
            raise LookupError(f"a {self.status} run has not started")
        return self.attempt

    @property
    def its_end(self) -> End:
        """Returns the end of a run that has ended."""
        if self.end is None:
            raise LookupError(f"a {self.status} run has not ended")
        return self.end

    @property
    def due_first_ms(self) -> int:
        """Returns when it was due before any retry. Lists and lateness use this time."""
        return self.first_due_ms or self.due_ms

    @property
    def lag_ms(self) -> int | None:
        """Returns how late its target was called, or else how late it started."""
        if self.attempt is None:
            return None
        return (self.called_ms or self.attempt.run_started_ms) - self.due_first_ms

    @property
    def called_back(self) -> bool:
        """Tells whether the run ends by a callback: then there is nothing to poll."""
        return self.status == Status.AWAITING and not (self.attempt and self.attempt.waits_on)

    def stored(self) -> dict[str, Any]:
        """Returns the map attribute. It omits zero and empty values that no clause needs."""
        kept = {
            "reason": self.reason.value,
            "first_due_ms": self.first_due_ms,
            "called_ms": self.called_ms,
            "claimed_ms": self.claimed_ms,
            "dropped": self.dropped.value,
            "waited": self.waited,
            "buried": self.buried,
            "released": self.released,
            "key_gate": self.key_gate,
            "permit": self.permit,
            "checkpoint": _text(self.checkpoint),
            "progress": _text(self.progress),
            "attempts": list(self.attempts),
        }
        if claim := self.claim:
            kept |= {"claim_id": claim.by, "claim_until": claim.until_ms}
        if booking := self.booking:
            kept |= {"gate_ms": booking.at_ms, "gate_behind_ms": booking.behind_ms}
        if attempt := self.attempt:
            kept |= {name: getattr(attempt, name) for name in _OF_ATTEMPT}
        if end := self.end:
            kept |= {name: getattr(end, name) for name in _END}
            kept["result"] = _text(end.result)
        return {
            "status": self.status.value,
            "attempt": self.starts,
            "tv": self.tv,
            "schedule_version": self.schedule_version,
            "due_ms": self.due_ms,
            "lease_ms": self.lease_ms,
            **{name: value for name, value in kept.items() if value},
        }


_OF_ATTEMPT = ("owner", "msg", "started_ms", "first_started_ms", "version", "log", "waits_on")
_END = frozenset(End.__slots__)


def _text(value: object) -> str:
    """Writes what a handler gave: any JSON, or nothing."""
    return "" if value is None else attributes.written(value)


@dataclass(frozen=True, slots=True, kw_only=True)
class Run:
    """One firing of a task."""

    task_id: str
    key: str
    tenant_id: str
    origin: str
    queue: str
    life: Life
    cancel_ms: int = 0
    cancel_by: str = ""
    # The last slot of a range.
    range_to: str = ""
    # The number of its slots. 0 if there were too many to count in one call.
    range_count: int = 0
    # The slot of a run whose key is not the slot's own.
    slot: str = ""
    # Where its own payload or target is stored, if it has one instead of the task's.
    payload_ref: str = ""
    target_ref: str = ""
    replay_of: str = ""
    replayed_as: str = ""
    replayed_by: str = ""
    replayed_ms: int = 0
    purged_ms: int = 0
    backfill_id: str = ""
    # Attempts that came to settle when another worker had the run.
    stale: tuple[Mapping[str, Any], ...] = ()
    # The attention list that it is on.
    attention: str = ""

    @property
    def run_id(self) -> str:
        """Returns the id that users, messages and targets see."""
        return run_id(self.task_id, self.key)

    @property
    def final(self) -> bool:
        """Tells whether the outcome is written."""
        return self.life.status in FINAL

    @property
    def is_range(self) -> bool:
        """Tells whether the row is a range, with or without a count."""
        return bool(self.range_to)

    @property
    def span(self) -> dict[str, Any] | None:
        """Returns the slots of a range. If they were too many to count, there is no count."""
        if not self.is_range:
            return None
        first = self.key.partition("~")[0]
        return {"from": first, "to": self.range_to, "count": self.range_count or None}


_REQUIRED = frozenset({"task_id", "key", "tenant_id", "origin", "queue", "life"})
OPTIONAL = tuple(name for name in Run.__slots__ if name not in _REQUIRED)


def parse(item: Mapping[str, Any]) -> Run:
    return Run(
        task_id=item["task_id"],
        key=item["scheduled_for"],
        tenant_id=item["tenant_id"],
        origin=item["origin"],
        queue=item["queue"],
        life=life_of(item["life"]),
        **{name: item[name] for name in OPTIONAL if name in item},
    )


def life_of(stored: Mapping[str, Any]) -> Life:
    """Reads the map attribute. Fields of a newer version are ignored."""
    told = stored.get
    return Life(
        status=_status(stored["status"]),
        reason=_reason(told("reason", "")),
        tv=stored["tv"],
        schedule_version=stored["schedule_version"],
        due_ms=stored["due_ms"],
        first_due_ms=told("first_due_ms"),
        called_ms=told("called_ms"),
        claimed_ms=told("claimed_ms", 0),
        claim=_claim(stored),
        attempt=_attempt(stored),
        end=_end(stored),
        dropped=_reason(told("dropped", "")),
        waited=told("waited", ""),
        buried=told("buried", 0),
        released=told("released", 0),
        key_gate=told("key_gate", ""),
        booking=_booking(stored),
        permit=told("permit", ""),
        checkpoint=attributes.read(told("checkpoint")),
        progress=attributes.read(told("progress")),
        attempts=tuple(told("attempts", ())),
    )


# Each row that is read has these words, and an enumeration is slow to look them up.
_STATUSES = {each.value: each for each in Status}
_REASONS = {each.value: each for each in Reason}


def _status(text: str) -> Status:
    return _STATUSES[text] if text in _STATUSES else Status(text)


def _reason(text: str) -> Reason:
    return _REASONS[text] if text in _REASONS else Reason(text)


def _claim(stored: Mapping[str, Any]) -> Claim | None:
    if "claim_id" not in stored:
        return None
    return Claim(by=stored["claim_id"], until_ms=stored.get("claim_until", 0))


def _booking(stored: Mapping[str, Any]) -> Booking | None:
    if "gate_ms" not in stored:
        return None
    return Booking(at_ms=stored["gate_ms"], behind_ms=stored.get("gate_behind_ms", 0))


def _attempt(stored: Mapping[str, Any]) -> Attempt | None:
    told = stored.get
    if not told("attempt"):
        return None
    return Attempt(
        number=stored["attempt"],
        owner=told("owner", ""),
        msg=told("msg", ""),
        lease_ms=told("lease_ms", 0),
        started_ms=told("started_ms", 0),
        first_started_ms=told("first_started_ms"),
        version=told("version", 0),
        log=told("log", ""),
        waits_on=told("waits_on", ""),
    )


def _end(stored: Mapping[str, Any]) -> End | None:
    told = stored.get
    if stored["status"] not in FINAL and _END.isdisjoint(stored):
        return None
    return End(
        ended_ms=told("ended_ms", 0),
        note=told("note", ""),
        delivered=bool(told("delivered")),
        result=attributes.read(told("result")),
        error=told("error"),
    )


def readable(item: Mapping[str, Any]) -> Run | None:
    """Reads a row, or returns None if this version cannot. Such a row must not block others."""
    try:
        return parse(item)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def row_key(run: str) -> dict[str, str]:
    """Returns the key of a run's row from its id."""
    task_id, key = row_of(run)
    return item_key(task_id, key)


def leased(life: Life, lease_ms: int) -> Life:
    """Returns the life with another end of its lease. Without an attempt it has none."""
    attempt = life.attempt and replace(life.attempt, lease_ms=lease_ms)
    return replace(life, attempt=attempt)


def ended(
    life: Life,
    status: Status,
    reason: Reason = Reason.NONE,
    *,
    now_ms: int,
    note: str = "",
    delivered: bool = False,
    result: object = None,
    error: object = None,
) -> Life:
    """Returns the life with its outcome."""
    return replace(
        life,
        status=status,
        reason=reason,
        attempt=life.attempt and replace(life.attempt, lease_ms=0),
        end=End(ended_ms=now_ms, note=note, delivered=delivered, result=result, error=error),
    )
