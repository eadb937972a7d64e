"""Describes work on many runs that goes on by itself, minute by minute, and can be stopped."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from onthedot.records.conditional_writes import Clause, Insert, Update
from onthedot.records.keys import item_key

TABLE = "runs"
# The partition of all running operations. Their state is in their tenants' partitions.
RUNNING = "loops#running"
KEPT_SEC = 90 * 86_400
# The name of the count that limits its pace: runs launched or purged.
DONE = "done"
_PARTITIONS = {
    "backfill": "backfill",
    "replay": "operation",
    "purge": "operation",
    "calendar": "recompute",
}
_CHANGING = ("cursor", "status", "counts", "minute", "in_minute", "ended_ms")


@dataclass(frozen=True, slots=True, kw_only=True)
class Named:
    """The id of an operation, its tenant, who began it and when."""

    loop_id: str
    tenant_id: str
    by: str
    began_ms: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Loop:
    """`wanted` is what its kind must know. `cursor` is how far it is, in a form of that kind."""

    loop_id: str
    tenant_id: str
    kind: str
    wanted: Mapping[str, Any]
    cursor: str
    per_minute: int
    by: str
    began_ms: int
    status: str = "running"
    counts: Mapping[str, int] = field(default_factory=dict)
    # The minute in which it last worked, and how many runs it took on then.
    minute: int = 0
    in_minute: int = 0
    ended_ms: int = 0
    rev: int = 0

    @property
    def key(self) -> tuple[tuple[str, str], ...]:
        """Returns the key of its item."""
        of = partition(self.kind, self.tenant_id)
        return (("task_id", of), ("scheduled_for", self.loop_id))

    @property
    def running(self) -> bool:
        return self.status == "running"

    def allowance(self, now_ms: int) -> int:
        """Returns how many runs it may still take on in this minute."""
        return max(0, self.per_minute - self._begun(now_ms))

    def _begun(self, now_ms: int) -> int:
        """Returns how many runs it has taken on in this minute."""
        return self.in_minute if self.minute == now_ms // 60_000 else 0

    def counted(self, now_ms: int, *, done: int, **more: int) -> dict[str, Any]:
        """Returns the changed fields after `done` more runs."""
        begun = self._begun(now_ms)
        numbers = {DONE: done, **more}
        counts = {name: self.counts.get(name, 0) + number for name, number in numbers.items()}
        return {"counts": counts, "minute": now_ms // 60_000, "in_minute": begun + done}

    def done_since(self, before: Loop) -> int:
        """Returns how many runs it has taken on since it was seen so."""
        return self.counts.get(DONE, 0) - before.counts.get(DONE, 0)


def partition(kind: str, tenant_id: str) -> str:
    """Returns the partition of a tenant's operations of one kind."""
    return f"{_PARTITIONS[kind]}#{tenant_id}"


def parse(item: Mapping[str, Any]) -> Loop:
    names = set(Loop.__slots__) - {"loop_id"}
    return Loop(
        loop_id=item["scheduled_for"], **{name: item[name] for name in names if name in item}
    )


def pointer_key(loop_id: str) -> dict[str, str]:
    """Returns the key of the item that lists it as running."""
    return item_key(RUNNING, loop_id)


def begin(loop: Loop) -> tuple[Insert, Insert]:
    """Puts the operation, and the item that lists it as running."""
    kept = {name: getattr(loop, name) for name in Loop.__slots__ if name != "loop_id"}
    pointer = {**pointer_key(loop.loop_id), "of": partition(loop.kind, loop.tenant_id)}
    names = ("task_id", "scheduled_for")
    return Insert(TABLE, {**dict(loop.key), **kept}, names), Insert(TABLE, pointer, names)


def moved(seen: Loop, wanted: Loop) -> Update:
    """Moves it on from where it was seen. Refused if another has moved it already."""
    sets = tuple((name, getattr(wanted, name)) for name in _CHANGING)
    ends = () if wanted.running else (("expires_at", wanted.ended_ms // 1000 + KEPT_SEC),)
    clauses = (Clause.equal("rev", seen.rev), Clause.equal("status", "running"))
    return Update(TABLE, seen.key, (*sets, ("rev", seen.rev + 1), *ends), clauses)
