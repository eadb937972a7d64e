"""Describes a run's row: its life, and what follows from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from onthedot.records import attributes
from onthedot.records.keys import item_key, row_of, run_id

TABLE = "runs"
OPEN = frozenset({"claimed", "waiting", "running", "awaiting", "retrying"})
FINAL = frozenset({"succeeded", "dead", "skipped", "missed", "cancelled"})
NOT_STARTED = ("claimed", "retrying")
# The value of `waited` for a regular slot that waits behind late ones.
BEHIND = "catchup"
# What it says of a run whose tenant has its share of a worker that slow runs keep.
LANE = "lane"


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """What changes together: one map attribute, so that one assignment changes all of it.

    Zero and empty text mean "not yet" and are not stored.
    """

    status: str
    reason: str = ""
    # The number of the newest start. It is the fence of every later write.
    attempt: int = 0
    # The newest version of the task that this run is known to obey.
    tv: int
    schedule_version: int
    # The version of the spec that its newest attempt uses. 0 if that was not recorded.
    version: int = 0
    due_ms: int
    claim_id: str = ""
    claim_until: int = 0
    claimed_ms: int = 0
    owner: str = ""
    msg: str = ""
    lease_ms: int = 0
    started_ms: int = 0
    first_started_ms: int = 0
    # When it was due before any retry. Lateness counts from here.
    first_due_ms: int = 0
    # The log of the attempt's worker.
    log: str = ""
    ended_ms: int = 0
    # An edit dropped the slot and gave its place to another, so no later edit may restore it.
    dropped: str = ""
    # Why the first start waited: in a line, or for a rate. Such a start is not late by our fault.
    waited: str = ""
    # Its target only took the work over and does not report its end.
    delivered: bool = False
    buried: int = 0
    # Attempts that gave the run back themselves. They do not count for max_attempts.
    released: int = 0
    note: str = ""
    # The gate of its concurrency key, and when the key's rate lets it start.
    key_gate: str = ""
    gate_ms: int = 0
    # Milliseconds by which the rate's line was behind the clock at the booking.
    gate_behind_ms: int = 0
    # The permit that its newest attempt took, if the tenant has a quota.
    permit: str = ""
    # The name of the execution that an awaiting run is polled for.
    waits_on: str = ""
    # What an attempt that asked for another time left for the next one.
    checkpoint: Any = None
    progress: Any = None
    result: Any = None
    error: Any = None
    attempts: tuple[Mapping[str, Any], ...] = ()

    @property
    def due_first_ms(self) -> int:
        """Returns when it was due before any retry. Lists and lateness use this time."""
        return self.first_due_ms or self.due_ms

    @property
    def called_back(self) -> bool:
        """Tells whether the run ends by a callback: then there is nothing to poll."""
        return self.status == "awaiting" and not self.waits_on

    def stored(self) -> dict[str, Any]:
        """Returns the map attribute. It omits zero and empty values that no clause needs."""
        kept = {name: getattr(self, name) for name in Life.__slots__}
        kept["attempts"] = list(self.attempts)
        for name in _HANDLERS:
            kept[name] = "" if kept[name] is None else attributes.written(kept[name])
        return {name: value for name, value in kept.items() if value or name in _ALWAYS}


# Handlers write these. They may be any JSON.
_HANDLERS = ("result", "progress", "checkpoint")
_ALWAYS = frozenset({"status", "attempt", "tv", "schedule_version", "due_ms", "lease_ms"})


_KNOWN = frozenset(Life.__slots__)


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


OPTIONAL = (
    "cancel_ms",
    "cancel_by",
    "range_to",
    "range_count",
    "slot",
    "payload_ref",
    "target_ref",
    "replay_of",
    "replayed_as",
    "replayed_by",
    "replayed_ms",
    "purged_ms",
    "backfill_id",
    "stale",
    "attention",
)


def parse(item: Mapping[str, Any]) -> Run:
    # Fields of a newer version are ignored.
    life = {name: value for name, value in item["life"].items() if name in _KNOWN}
    life["attempts"] = tuple(life.get("attempts", ()))
    life |= {name: attributes.read(life[name]) for name in _HANDLERS if name in life}
    return Run(
        task_id=item["task_id"],
        key=item["scheduled_for"],
        tenant_id=item["tenant_id"],
        origin=item["origin"],
        queue=item["queue"],
        life=Life(**life),
        **{name: item[name] for name in OPTIONAL if name in item},
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


def ended(life: Life, status: str, reason: str, *, now_ms: int, note: str = "") -> Life:
    """Returns the life with its outcome."""
    return replace(life, status=status, reason=reason, ended_ms=now_ms, note=note, lease_ms=0)
