"""Describes a tenant's quota: each run under way holds one of its permits, by a lease."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from onthedot.records.conditional_writes import Clause, Delete, Insert, Update, Write
from onthedot.records.keys import item_key, key_of
from onthedot.records.runs.pull import pulled
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import NOT_STARTED, Status
from onthedot.records.timings import MARGIN_SEC

TABLE = "runs"
LIMIT = "#limit"
# A start reads all permits of its tenant.
MOST = 1_000
_PERMIT, _WAIT = "#permit#", "#wait#"
# From the limit to the last permit: one range has all that a start must know.
PERMITS = LIMIT, f"{_PERMIT}~"
LINE = _WAIT, f"{_WAIT}~"
# Seconds. Unused entries expire by themselves. The audit sends again the runs that still wait.
_ENTRY_SEC = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Permit:
    """A permit that a run holds. Only the worker that took it may extend it or give it back."""

    tenant_id: str
    number: int
    holder: str = ""
    owner: str = ""
    lease_ms: int = 0

    @property
    def key(self) -> tuple[tuple[str, Any], ...]:
        """Returns the key of its item."""
        return (
            ("task_id", partition(self.tenant_id)),
            ("scheduled_for", f"{_PERMIT}{self.number:04}"),
        )

    @property
    def held(self) -> dict[str, Any]:
        """Returns the attributes that change together, as they are stored."""
        return {"holder": self.holder, "owner": self.owner, "lease_ms": self.lease_ms}

    def live(self, now_ms: int) -> bool:
        """Tells whether a run holds it, by any clock."""
        return bool(self.holder) and now_ms <= self.lease_ms + MARGIN_SEC * 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """How many runs of a tenant may be under way, and all permits that were ever used."""

    tenant_id: str
    # Zero means no limit.
    most: int
    permits: Mapping[int, Permit]

    def free(self, now_ms: int) -> list[int]:
        """Returns the free permits. Held permits above a lowered limit still count."""
        held = {one.number for one in self.permits.values() if one.live(now_ms)}
        numbers = [number for number in range(self.most) if number not in held]
        return numbers[: max(0, self.most - len(held))]

    def of_run(self, run_id: str, now_ms: int) -> Permit | None:
        """Returns the live permit that a run holds, if any."""
        permits = self.permits.values()
        return next((one for one in permits if one.holder == run_id and one.live(now_ms)), None)

    def take(self, wanted: Permit) -> Write:
        """Takes a permit that was seen free or expired."""
        seen = self.permits.get(wanted.number)
        if seen is None:
            item = {**dict(wanted.key), "held": wanted.held}
            return Insert(TABLE, item, ("task_id", "scheduled_for"))
        clauses = tuple(Clause.equal(f"held.{name}", value) for name, value in seen.held.items())
        return Update(TABLE, wanted.key, (("held", wanted.held),), clauses)


def quota(tenant_id: str, items: Iterable[Mapping[str, Any]]) -> Quota:
    """Reads the limit and the permits. Without a stored limit there is none."""
    most, permits = 0, {}
    for item in items:
        if item["scheduled_for"] == LIMIT:
            most = item["most"]
        else:
            number = int(item["scheduled_for"].removeprefix(_PERMIT))
            permits[number] = Permit(tenant_id=tenant_id, number=number, **item["held"])
    return Quota(tenant_id=tenant_id, most=most, permits=permits)


def partition(tenant_id: str) -> str:
    """Returns the partition with all items of a tenant's quota."""
    return f"permit#{tenant_id}"


def limit_key(tenant_id: str) -> dict[str, str]:
    """Returns the key of a tenant's limit."""
    return item_key(partition(tenant_id), LIMIT)


def permit_of(run: Run) -> Permit | None:
    """Returns the permit that a run's newest attempt took, even if the run lost it."""
    life = run.life
    if not life.permit or life.attempt is None:
        return None
    return Permit(
        tenant_id=run.tenant_id,
        number=int(life.permit),
        holder=run.run_id,
        owner=life.attempt.owner,
        lease_ms=life.attempt.lease_ms,
    )


def _own(permit: Permit) -> tuple[Clause, ...]:
    return (Clause.equal("held.holder", permit.holder), Clause.equal("held.owner", permit.owner))


def extend(permit: Permit, lease_ms: int) -> Update:
    """Extends its lease."""
    held = {**permit.held, "lease_ms": lease_ms}
    return Update(TABLE, permit.key, (("held", held),), _own(permit))


def give_back(permit: Permit) -> Update:
    """Gives a permit back. If another run has it by now, nothing changes."""
    free = Permit(tenant_id=permit.tenant_id, number=permit.number)
    return Update(TABLE, permit.key, (("held", free.held),), _own(permit))


def in_line(run: Run) -> str:
    """Returns the sort value of a waiting run: the longer it has been due, the earlier."""
    return f"{_WAIT}{run.life.due_ms:013}#{run.run_id}"


def entry_key(run: Run) -> dict[str, str]:
    """Returns the key of a run's entry in the line of its tenant."""
    return item_key(partition(run.tenant_id), in_line(run))


def entry(run: Run, stamp: str, now_ms: int) -> dict[str, Any]:
    """Writes a run into the line. The stamp tells this entry from an earlier one."""
    return {**entry_key(run), "stamp": stamp, "expires_at": now_ms // 1000 + _ENTRY_SEC}


def named(item: Mapping[str, Any]) -> str:
    """Returns the run of an entry."""
    _, _, run_id = str(item["scheduled_for"]).removeprefix(_WAIT).partition("#")
    return run_id


def struck(item: Mapping[str, Any]) -> Delete:
    """Deletes the very entry that was seen."""
    key = tuple(key_of(item).items())
    return Delete(TABLE, key, (Clause.equal("stamp", item["stamp"]),))


def waits(run: Run, now_ms: int) -> bool:
    """Tells whether the run of an entry may be without a message, and so needs one.

    Its due time may have changed: a stalled worker was taken for dead, its run joined the line to
    be taken over, and then the worker settled it all the same.
    """
    if run.final or pulled(run.queue):
        return False
    over = run.life.status == Status.RUNNING and now_ms > run.life.lease_ms + MARGIN_SEC * 1000
    return over or run.life.status in NOT_STARTED


def allot(
    free: Sequence[int], line: Iterable[str], runs: Iterable[Run], fraction: float
) -> dict[str, int]:
    """Gives free permits to the runs that have been due longest. Returns run id to permit.

    No run passes one that has waited longer, except a fetched run, which no message can call later.
    The first permit is random: workers that all begin with the same one collide.
    """
    first = int(fraction * len(free))
    spread = (*free[first:], *free[:first])
    wanting = sorted(runs, key=in_line)
    own = {in_line(run) for run in wanting}
    others = sorted(key for key in line if key not in own)
    given: dict[str, int] = {}
    for run in wanting:
        ahead = 0 if pulled(run.queue) else bisect_left(others, in_line(run))
        if ahead + len(given) < len(spread):
            given[run.run_id] = spread[len(given)]
    return given
