"""Planted faults of a tenant's quota: permits that nobody keeps, gives back, or waits for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from onthedot.records.access import tenant_reach
from onthedot.records.runs import tenant_permits
from onthedot.records.runs.tenant_permits import Permit, Quota
from onthedot.store import table_reads
from onthedot.work import heartbeat, target_call
from onthedot.work.gates import tenant_line, tenant_quota
from onthedot.work.job import Job
from onthedot.work.verdicts import Answers, Struck
from tests.simulation.mutants.mutant import Mutant, Patch


def unheld() -> list[Patch]:
    """What was registered once may be called for ever."""
    return [(target_call, "_forbidden", lambda _job, _task: None)]


def unread() -> list[Patch]:
    """What a tenant may call is not read with its rows."""
    return [(tenant_reach, "at_call", lambda _item: None)]


def unkept() -> list[Patch]:
    """The heartbeat keeps a run's lease, and not its permit."""
    return [(heartbeat, "tenant_quota", _Unkept)]


class _Unkept:
    """All of the module that a heartbeat asks for."""

    @staticmethod
    def extend(_jobs: Sequence[Job], _lease_ms: int) -> dict[Job, Any]:
        return {}


def outlived() -> list[Patch]:
    """A permit is anybody's as soon as its lease is over, by whatever clock."""
    return [(Permit, "live", lambda self, now_ms: bool(self.holder) and now_ms <= self.lease_ms)]


def unfenced() -> list[Patch]:
    """The end of an attempt frees its permit, though its run may hold it again by now."""
    original = tenant_permits.give_back

    def give_back(permit: Permit) -> Any:
        return replace(original(permit), clauses=original(permit).clauses[:1])

    return [(tenant_permits, "give_back", give_back)]


def uncalled() -> list[Patch]:
    """Who gives a permit back calls nobody."""
    return [(tenant_line, "call", lambda _tenant, _most: None)]


def looked_once() -> list[Patch]:
    """Who joins the line does not look again, and nobody calls for a permit that is free."""

    def enter(tenant_id: str, jobs: Sequence[Job], worker: str) -> Answers:
        seen = tenant_line.read(tenant_id)
        given = tenant_quota._given(seen, jobs)  # noqa: SLF001  # planted in the flow
        taken = tenant_quota._taken(seen, given, worker)  # noqa: SLF001
        left = [job for job in jobs if job not in taken]
        tenant_line.join(job.held for job in left)
        return [*((job, None) for job in taken), *((job, Struck()) for job in left)]

    return [(tenant_quota, "_enter", enter)]


def called_before() -> list[Patch]:
    """The next one is called before the permit is free, and nobody after."""
    original = tenant_quota._give_back  # noqa: SLF001  # planted in the flow

    def give_back(held: Sequence[Permit]) -> None:
        for permit in held:
            calling(permit.tenant_id, 1)
        original(held)

    calling = tenant_line.call
    return [
        (tenant_quota, "_give_back", give_back),
        (tenant_line, "call", lambda _tenant, _most: None),
    ]


def above_forgotten() -> list[Patch]:
    """Permits above a limit that was lowered do not count."""

    def free(self: Quota, now_ms: int) -> list[int]:
        held = {one.number for one in self.permits.values() if one.live(now_ms)}
        return [number for number in range(self.most) if number not in held]

    return [(Quota, "free", free)]


def raised_silently() -> list[Patch]:
    """Another limit calls nobody of those who wait under the old one."""

    def set_limit(tenant_id: str, most: int | None) -> None:
        key = tenant_permits.limit_key(tenant_id)
        if most is None:
            table_reads.delete(tenant_permits.TABLE, key)
        else:
            table_reads.put(tenant_permits.TABLE, {**key, "most": most})

    return [(tenant_line, "set_limit", set_limit)]


TENANTS = (
    Mutant(
        "unkept",
        "0070: a permit lives as its run does",
        unkept,
        ("tenants",),
        seed=6,
    ),
    Mutant(
        "outlived",
        "0070: two clocks differ over a permit",
        outlived,
        ("tenants",),
        seed=31,
    ),
    Mutant(
        "unfenced", "0070: only its worker gives a permit back", unfenced, ("permits",), seed=23
    ),
    Mutant("uncalled", "0070: who leaves calls the next", uncalled, ("tenants bare",)),
    Mutant(
        "looked once",
        "0070: who joins the line looks again",
        looked_once,
        ("tenants bare",),
        seed=104,
    ),
    Mutant(
        "called before", "0070: free first, then the call", called_before, ("tenants bare",), seed=9
    ),
    Mutant(
        "above forgotten",
        "0070: lowered, a limit waits for those above it",
        above_forgotten,
        ("quotas",),
        seed=14,
    ),
    Mutant("unheld", "0121: a call is held to its tenant", unheld, ("targets",)),
    Mutant("unread", "0121: the bounds come with the rows", unread, ("targets",)),
    Mutant(
        "raised silently",
        "0070: another limit calls the runs that may start",
        raised_silently,
        ("quotas bare",),
        seed=72,
    ),
)
