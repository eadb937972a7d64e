"""Permits under threads: never more hold one than may, and who waits is called in the end."""

from __future__ import annotations

import time
from threading import Lock

import pytest

from onthedot.records.conditional_writes import Outcome
from onthedot.records.runs import run_writes
from onthedot.records.runs.message_pack import Ticket
from onthedot.records.runs.run_status import Reason, Status
from onthedot.store import conditional_writer
from onthedot.work.decision_table import Hint
from onthedot.work.gates import tenant_line, tenant_quota
from onthedot.work.job import Job
from tests.engines.place import at_once
from tests.engines.tasks import SLOT, claimed

RUNS = 24


def _job(number: int, most: int) -> Job:
    run = claimed("d", SLOT + number)
    assert conditional_writer.write_one(run_writes.insert(run, now_ms=1)) is Outcome.DONE
    hint = Hint(attempt=1, receives=1, message_id="m")
    ticket = Ticket(run.run_id, 1, run.life.tv)
    return Job(ticket=ticket, hint=hint, tenant_id=run.tenant_id, run=run, most=most)


def _enters(job: Job, worker: str) -> bool:
    ((_, waits),) = tenant_quota.enter([job], worker=worker)
    return waits is None


@pytest.mark.parametrize("most", [1, 5])
@pytest.mark.usefixtures("place")
def test_never_more_hold_a_permit_than_may_and_all_do_in_the_end(most: int) -> None:
    jobs = [_job(number, most) for number in range(RUNS)]
    tenant_line.set_limit(jobs[0].held.tenant_id, most)
    inside, peaks, lock = [0], [], Lock()

    def pass_through(number: int) -> None:
        job = jobs[number]
        while not _enters(job, f"worker {number}"):
            time.sleep(0.005)
        with lock:
            inside[0] += 1
            peaks.append(inside[0])
        time.sleep(0.01)
        with lock:
            inside[0] -= 1
        ended = run_writes.settle_unstarted(job.held, Status.CANCELLED, Reason.USER, now_ms=1)
        assert conditional_writer.write_one(ended) is Outcome.DONE
        tenant_quota.drop([job])

    at_once(len(jobs), pass_through)

    assert max(peaks) <= most
    assert len(peaks) == RUNS
    seen = tenant_line.read(jobs[0].held.tenant_id)
    assert {permit.holder for permit in seen.permits.values()} == {""}
    assert len(seen.permits) <= most


@pytest.mark.usefixtures("place")
def test_as_many_as_may_get_in_at_once_and_the_others_stand_in_line() -> None:
    jobs = [_job(number, 7) for number in range(RUNS)]
    tenant_id = jobs[0].held.tenant_id
    tenant_line.set_limit(tenant_id, 7)

    entered = at_once(RUNS, lambda number: _enters(jobs[number], f"worker {number}"))

    held = {permit.holder for permit in tenant_line.read(tenant_id).permits.values()}
    assert entered.count(True) == len(held) <= 7
    inside = {job.held.run_id for job, got in zip(jobs, entered, strict=True) if got}
    assert held == inside


@pytest.mark.usefixtures("place")
def test_a_stale_worker_keeps_nothing_and_frees_nothing() -> None:
    job = _job(0, 1)
    tenant_line.set_limit(job.held.tenant_id, 1)
    assert _enters(job, "first")
    first = job.permit
    assert first is not None
    tenant_quota.drop([job])
    assert _enters(job, "second")

    job.permit, second = first, job.permit
    outcomes = tenant_quota.extend([job], first.lease_ms + 60_000)
    tenant_quota.drop([job])

    assert outcomes == {job: Outcome.REFUSED}
    assert tenant_line.read(job.held.tenant_id).permits[0] == second
