"""Gives runs the permits of their tenant. A run that finds none waits in line.

It comes after all gates: a permit is for a run that runs, never for one that waits for another.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace

from onthedot.records.conditional_writes import Outcome
from onthedot.records.runs import tenant_permits
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.tenant_permits import Permit, Quota
from onthedot.records.timings import LEASE_SEC, MARGIN_SEC
from onthedot.store import clock, conditional_writer, ids
from onthedot.work.gates import tenant_line
from onthedot.work.job import Job
from onthedot.work.verdicts import Answers, Back, Later, Struck, Verdict

_TRIES = 16


def enter(jobs: Sequence[Job], *, worker: str) -> Answers:
    """Takes permits. A tenant without a quota costs no read."""
    answers: list[tuple[Job, Verdict | None]] = [
        (_under(job, None), None) for job in jobs if not job.most
    ]
    bounded = [job for job in jobs if job.most]
    for tenant_id in dict.fromkeys(job.held.tenant_id for job in bounded):
        of_tenant = [job for job in bounded if job.held.tenant_id == tenant_id]
        answers += _enter(tenant_id, of_tenant, worker)
    return answers


def _enter(tenant_id: str, jobs: Sequence[Job], worker: str) -> Answers:
    """Takes permits. Without one, a run joins the line and looks again: one may be free by now."""
    answers: list[tuple[Job, Verdict | None]] = []
    left, joined = list(jobs), False
    for _ in range(_TRIES):
        seen = tenant_line.read(tenant_id)
        if not seen.most:
            return [*answers, *((_under(job, None), None) for job in left)]
        held = _held(seen, left)
        answers += [(job, _taken_before(job, permit, worker)) for job, permit in held.items()]
        left = [job for job in left if job not in held]
        given = _given(seen, left)
        taken = _taken(seen, given, worker)
        answers += [(job, None) for job in taken]
        left = [job for job in left if job not in taken]
        if not left:
            return answers
        if len(taken) < len(given):
            continue
        if joined:
            if seen.free(clock.now_ms()):
                # The permit is for runs that have waited longer, so they are called.
                tenant_line.call(tenant_id, 1)
            return [*answers, *((job, Struck()) for job in left)]
        tenant_line.join(job.held for job in left)
        joined = True
    # A crowd left them over.
    return [*answers, *((job, Back()) for job in left)]


def _held(seen: Quota, jobs: Iterable[Job]) -> dict[Job, Permit]:
    """Finds live permits of runs that have not started: some worker took them a moment ago."""
    now_ms = clock.now_ms()
    found = {job: seen.of_run(job.held.run_id, now_ms) for job in jobs}
    return {job: permit for job, permit in found.items() if permit}


def _taken_before(job: Job, permit: Permit, worker: str) -> Later | None:
    """Returns None if the permit is ours: the answer to its taking was lost, or in doubt.

    Otherwise another worker is about to start the run, or died over that.
    """
    if permit.owner == worker:
        _under(job, permit)
        return None
    return Later(max(1, (permit.lease_ms - clock.now_ms()) // 1000 + MARGIN_SEC + 1))


def _given(seen: Quota, jobs: Sequence[Job]) -> dict[Job, int]:
    free = seen.free(clock.now_ms())
    ahead = tenant_line.entries(seen.tenant_id, len(free) + len(jobs)) if free and jobs else []
    keys = [item["scheduled_for"] for item in ahead]
    given = tenant_permits.allot(free, keys, [job.held for job in jobs], ids.fraction())
    return {job: given[job.held.run_id] for job in jobs if job.held.run_id in given}


def _taken(seen: Quota, given: Mapping[Job, int], worker: str) -> list[Job]:
    """Returns the jobs that surely have a permit now. The next look shows those in doubt."""
    lease_ms = clock.now_ms() + LEASE_SEC * 1000
    permits = [
        Permit(
            tenant_id=seen.tenant_id,
            number=number,
            holder=job.held.run_id,
            owner=worker,
            lease_ms=lease_ms,
        )
        for job, number in given.items()
    ]
    outcomes = conditional_writer.write_many([seen.take(permit) for permit in permits])
    return [
        _under(job, permit)
        for job, permit, outcome in zip(given, permits, outcomes, strict=True)
        if outcome is Outcome.DONE
    ]


def _under(job: Job, permit: Permit | None) -> Job:
    """Names the permit on the row that the start will write: the run's end must know it."""
    job.permit = permit
    number = str(permit.number) if permit else ""
    if job.held.life.permit != number:
        job.run = replace(job.held, life=replace(job.held.life, permit=number))
        # The prepared start does not name it.
        job.ready = None
    return job


def extend(jobs: Iterable[Job], lease_ms: int) -> dict[Job, Outcome]:
    """Extends permits before the runs' leases: a lease must never outlive its permit."""
    holding = [(job, job.permit) for job in jobs if job.permit]
    outcomes = conditional_writer.write_many(
        [tenant_permits.extend(permit, lease_ms) for _, permit in holding]
    )
    return {job: outcome for (job, _), outcome in zip(holding, outcomes, strict=True)}


def extend_of(run: Run, lease_ms: int) -> bool:
    """Extends the permit of a run that no worker of ours runs. False: another run has it."""
    permit = tenant_permits.permit_of(run)
    return (
        permit is None
        or conditional_writer.write_one(tenant_permits.extend(permit, lease_ms)) is Outcome.DONE
    )


def all_taken(tenant_id: str) -> bool:
    """Tells whether other runs of the tenant would find no permit either."""
    seen = tenant_line.read(tenant_id)
    return bool(seen.most) and not seen.free(clock.now_ms())


def drop(jobs: Sequence[Job]) -> None:
    """Gives back permits that were taken for starts that did not happen."""
    _give_back([job.permit for job in jobs if job.permit])
    for job in jobs:
        # A start in doubt may still happen. Its run then goes on without a permit.
        job.permit = None


def leave(left: Iterable[Run]) -> None:
    """Gives permits back after an attempt."""
    _give_back([permit for run in left if (permit := tenant_permits.permit_of(run))])


def finish(jobs: Iterable[Job]) -> None:
    """Leaves after an outcome. A run that was called but does not run calls the next one."""
    ended = list(jobs)
    leave(job.held for job in ended)
    passing = [job.held.tenant_id for job in ended if job.most and not job.held.life.permit]
    for tenant_id, count in Counter(passing).items():
        tenant_line.call(tenant_id, count)


def _give_back(permits: Sequence[Permit]) -> None:
    """Gives permits back first, then calls: a run that comes at once must find one free.

    After a crash in between, the message comes back, finds the attempt over, and calls.
    """
    left = list(permits)
    while left:
        # Two writes of one item would make the store reject the batch.
        each_once = {permit.key: permit for permit in reversed(left)}
        conditional_writer.surely(
            [tenant_permits.give_back(permit) for permit in each_once.values()]
        )
        left = [permit for permit in left if each_once[permit.key] is not permit]
    for tenant_id, count in Counter(permit.tenant_id for permit in permits).items():
        tenant_line.call(tenant_id, count)
