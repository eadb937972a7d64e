"""A run's row: its life, and what is read from it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from onthedot.records import small_json
from onthedot.records.keys import row_of, run_id

TABLE = "runs"
OPEN = frozenset({"claimed", "waiting", "running", "awaiting", "retrying"})
FINAL = frozenset({"succeeded", "dead", "skipped", "missed", "cancelled"})
NOT_STARTED = ("claimed", "retrying")
# What `waited` says of a regular slot that stands behind late ones.
BEHIND = "catchup"


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """What changes together, in one map attribute, so that one assignment changes it all.

    A zero or an empty text stands for "not yet", and is not stored.
    """

    status: str
    reason: str = ""
    # The number of the newest start: the fence of every later write.
    attempt: int = 0
    # The newest version of the task that this run is known to obey.
    tv: int
    schedule_version: int
    # By which version of the spec its newest attempt runs; 0 where that was not noted.
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
    # When it was due before it was retried: that is what lateness is measured from.
    first_due_ms: int = 0
    # Where the attempt's worker writes its log.
    log: str = ""
    ended_ms: int = 0
    # An edit left it out and gave its place to another, so that no later one takes it up again.
    dropped: str = ""
    # A first start that waited in a line, or for its turn at a rate, was not late by our doing.
    waited: str = ""
    # Its target only took the work over, and says nothing of its end.
    delivered: bool = False
    buried: int = 0
    # Attempts that gave the run back by themselves: not counted against max_attempts.
    released: int = 0
    note: str = ""
    # Where its concurrency key's places are, and when the key's rate lets it start.
    key_gate: str = ""
    gate_ms: int = 0
    # By how much the line of that rate was behind the clock when it was booked.
    gate_behind_ms: int = 0
    # Which of its tenant's permits its newest attempt took, where the tenant has a quota.
    permit: str = ""
    # What the execution that an awaiting run is polled for is called.
    waits_on: str = ""
    # What an attempt that asked for another time left for the next.
    checkpoint: Any = None
    progress: Any = None
    result: Any = None
    error: Any = None
    attempts: tuple[Mapping[str, Any], ...] = ()

    @property
    def due_first_ms(self) -> int:
        """When it was due before any retry: what it is listed by, and late by."""
        return self.first_due_ms or self.due_ms

    @property
    def called_back(self) -> bool:
        """Tell whether nothing can be asked how it is: it says so itself."""
        return self.status == "awaiting" and not self.waits_on

    def stored(self) -> dict[str, Any]:
        """Give the map attribute; what is zero or empty is left out, but for the clauses' own."""
        kept = {name: getattr(self, name) for name in Life.__slots__}
        kept["attempts"] = list(self.attempts)
        for name in _HANDLERS:
            kept[name] = "" if kept[name] is None else small_json.written(kept[name])
        return {name: value for name, value in kept.items() if value or name in _ALWAYS}


# What handlers leave there, which may be any JSON.
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
    # Last slot of a row that stands for many.
    range_to: str = ""
    # How many they are; 0 where they were too many to be counted within a call.
    range_count: int = 0
    # The slot that it stands for, where the key is not the slot's own.
    slot: str = ""
    # Where a payload, or a target, lies that it has in place of its task's.
    payload_ref: str = ""
    target_ref: str = ""
    replay_of: str = ""
    replayed_as: str = ""
    replayed_by: str = ""
    replayed_ms: int = 0
    purged_ms: int = 0
    backfill_id: str = ""
    # Attempts that came to settle when the run was another's already.
    stale: tuple[Mapping[str, Any], ...] = ()
    # The list of what wants attention that it stands on.
    attention: str = ""

    @property
    def run_id(self) -> str:
        """The id that users, messages and targets see."""
        return run_id(self.task_id, self.key)

    @property
    def final(self) -> bool:
        """Tell whether the outcome is written."""
        return self.life.status in FINAL

    @property
    def is_range(self) -> bool:
        """Tell whether the row stands for many slots, counted or not."""
        return bool(self.range_to)

    @property
    def span(self) -> dict[str, Any] | None:
        """The slots that a range stands for; too many to be counted have no count."""
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
    """Read a row."""
    # What a newer version keeps there besides is passed over.
    life = {name: value for name, value in item["life"].items() if name in _KNOWN}
    life["attempts"] = tuple(life.get("attempts", ()))
    life |= {name: small_json.read(life[name]) for name in _HANDLERS if name in life}
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
    """Read a row, or say that this version cannot: one such row must hold up no other."""
    try:
        return parse(item)
    except (AttributeError, KeyError, TypeError, ValueError):
        return None


def row_key(run: str) -> dict[str, str]:
    """Give the key of a run's row from its id."""
    task_id, key = row_of(run)
    return {"task_id": task_id, "scheduled_for": key}


def ended(life: Life, status: str, reason: str, *, now_ms: int, note: str = "") -> Life:
    """Give the life its outcome."""
    return replace(life, status=status, reason=reason, ended_ms=now_ms, note=note, lease_ms=0)
