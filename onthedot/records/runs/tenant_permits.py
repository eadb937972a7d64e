"""A tenant's quota: each of its runs that is under way holds one of so many permits, by a lease."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from onthedot.records.conditional_writes import Clause, Delete, Insert, Update, Write
from onthedot.records.runs.pull import pulled
from onthedot.records.runs.run_row import NOT_STARTED, Run
from onthedot.records.timings import MARGIN_SEC

TABLE = "runs"
LIMIT = "#limit"
# Who starts a run reads all permits of its tenant.
MOST = 1_000
_PERMIT, _WAIT = "#permit#", "#wait#"
# From the limit to the last permit: one range holds all that a start must know.
PERMITS = LIMIT, f"{_PERMIT}~"
LINE = _WAIT, f"{_WAIT}~"
# An entry that nobody needs goes by itself; the audit brings back the runs that still wait.
_ENTRY_SEC = 86_400


@dataclass(frozen=True, slots=True, kw_only=True)
class Permit:
    """A permit in a run's hands: only the worker that took it may extend it or give it back."""

    tenant_id: str
    number: int
    holder: str = ""
    owner: str = ""
    lease_ms: int = 0

    @property
    def key(self) -> tuple[tuple[str, Any], ...]:
        """Give the key of its item."""
        return (
            ("task_id", partition(self.tenant_id)),
            ("scheduled_for", f"{_PERMIT}{self.number:04}"),
        )

    @property
    def held(self) -> dict[str, Any]:
        """Give what changes together, as it is stored."""
        return {"holder": self.holder, "owner": self.owner, "lease_ms": self.lease_ms}

    def live(self, now_ms: int) -> bool:
        """Tell whether it is somebody's, as far as any clock can tell."""
        return bool(self.holder) and now_ms <= self.lease_ms + MARGIN_SEC * 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class Quota:
    """How many runs of a tenant may be under way, and the permits that were ever used."""

    tenant_id: str
    # Zero is no limit.
    most: int
    permits: Mapping[int, Permit]

    def free(self, now_ms: int) -> list[int]:
        """Name the free permits; those above a limit that was lowered count while they are held."""
        held = {one.number for one in self.permits.values() if one.live(now_ms)}
        numbers = [number for number in range(self.most) if number not in held]
        return numbers[: max(0, self.most - len(held))]

    def of_run(self, run_id: str, now_ms: int) -> Permit | None:
        """Find a live permit in a run's hands."""
        permits = self.permits.values()
        return next((one for one in permits if one.holder == run_id and one.live(now_ms)), None)

    def take(self, wanted: Permit) -> Write:
        """Take a permit that was seen free, or over."""
        seen = self.permits.get(wanted.number)
        if seen is None:
            item = {**dict(wanted.key), "held": wanted.held}
            return Insert(TABLE, item, ("task_id", "scheduled_for"))
        clauses = tuple(Clause.equal(f"held.{name}", value) for name, value in seen.held.items())
        return Update(TABLE, wanted.key, (("held", wanted.held),), clauses)


def quota(tenant_id: str, items: Iterable[Mapping[str, Any]]) -> Quota:
    """Read the limit and the permits; where no limit is stored, there is none."""
    most, permits = 0, {}
    for item in items:
        if item["scheduled_for"] == LIMIT:
            most = item["most"]
        else:
            number = int(item["scheduled_for"].removeprefix(_PERMIT))
            permits[number] = Permit(tenant_id=tenant_id, number=number, **item["held"])
    return Quota(tenant_id=tenant_id, most=most, permits=permits)


def partition(tenant_id: str) -> str:
    """Name the partition of all that a tenant's quota needs."""
    return f"permit#{tenant_id}"


def limit_key(tenant_id: str) -> dict[str, str]:
    """Give the key of a tenant's limit."""
    return {"task_id": partition(tenant_id), "scheduled_for": LIMIT}


def permit_of(run: Run) -> Permit | None:
    """Give the permit that a run's newest attempt took, whether it still holds it or not."""
    life = run.life
    if not life.permit:
        return None
    return Permit(
        tenant_id=run.tenant_id,
        number=int(life.permit),
        holder=run.run_id,
        owner=life.owner,
        lease_ms=life.lease_ms,
    )


def _own(permit: Permit) -> tuple[Clause, ...]:
    return (Clause.equal("held.holder", permit.holder), Clause.equal("held.owner", permit.owner))


def extend(permit: Permit, lease_ms: int) -> Update:
    """Keep it for another while."""
    held = {**permit.held, "lease_ms": lease_ms}
    return Update(TABLE, permit.key, (("held", held),), _own(permit))


def give_back(permit: Permit) -> Update:
    """Give it back; one that has become another's by now is left alone."""
    free = Permit(tenant_id=permit.tenant_id, number=permit.number)
    return Update(TABLE, permit.key, (("held", free.held),), _own(permit))


def in_line(run: Run) -> str:
    """Sort who waits by how long it has been due."""
    return f"{_WAIT}{run.life.due_ms:013}#{run.run_id}"


def entry_key(run: Run) -> dict[str, str]:
    """Give the key of a run's entry in the line of its tenant."""
    return {"task_id": partition(run.tenant_id), "scheduled_for": in_line(run)}


def entry(run: Run, stamp: str, now_ms: int) -> dict[str, Any]:
    """Write a run into the line; the stamp tells this entry from one before it."""
    return {**entry_key(run), "stamp": stamp, "expires_at": now_ms // 1000 + _ENTRY_SEC}


def named(item: Mapping[str, Any]) -> str:
    """Name the run of an entry."""
    _, _, run_id = str(item["scheduled_for"]).removeprefix(_WAIT).partition("#")
    return run_id


def struck(item: Mapping[str, Any]) -> Delete:
    """Take the very entry that was seen out of the line."""
    key = tuple((name, item[name]) for name in ("task_id", "scheduled_for"))
    return Delete(TABLE, key, (Clause.equal("stamp", item["stamp"]),))


def waits(run: Run, now_ms: int) -> bool:
    """Tell whether the run of an entry may have no message any more, and so needs another.

    It may be due at another time by now: whose worker stalled was taken for dead, stood in the
    line to be taken over, and was settled all the same.
    """
    if run.final or pulled(run.queue):
        return False
    over = run.life.status == "running" and now_ms > run.life.lease_ms + MARGIN_SEC * 1000
    return over or run.life.status in NOT_STARTED


def allot(
    free: Sequence[int], line: Iterable[str], runs: Iterable[Run], fraction: float
) -> dict[str, int]:
    """Give free permits to the runs that have been due longest: run id to permit.

    Nobody passes those in the line who have waited longer, but for who comes to fetch its run:
    no message could call it later. Where to begin is drawn: workers that all began with the
    first permit would get in one another's way.
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
