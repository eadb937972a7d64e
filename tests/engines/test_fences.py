"""Starts, settles and gates under threads: one start wins, a stale settle changes nothing."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import replace
from functools import partial
from threading import Lock

import pytest

from onthedot.records.conditional_writes import Outcome, Update, Write
from onthedot.records.runs import run_row, run_writes
from onthedot.records.runs.message_pack import Ticket
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.tasks.task_spec import Task
from onthedot.store import conditional_writer, table_reads
from onthedot.work.decision_table import Hint, Skip
from onthedot.work.gates import overlap
from onthedot.work.job import Job
from tests.engines.place import at_once
from tests.engines.tasks import SLOT, claimed, task

THREADS = 50
LEASE_MS = 20_000
SPELLINGS: dict[str, Callable[[Write], Outcome]] = {
    "one": conditional_writer.write_one,
    "many": lambda write: conditional_writer.write_many([write])[0],
}
spelled = pytest.mark.parametrize("write", SPELLINGS.values(), ids=SPELLINGS)


@spelled
@pytest.mark.usefixtures("place")
def test_of_fifty_that_start_a_run_one_does(write: Callable[[Write], Outcome]) -> None:
    run = _put(claimed("d"))
    begun = [_begun(run, f"worker {number}") for number in range(THREADS)]

    outcomes = at_once(THREADS, lambda number: write(_start(run, begun[number])))

    assert outcomes.count(Outcome.DONE) == 1
    assert outcomes.count(Outcome.REFUSED) == THREADS - 1
    assert _read(run) == begun[outcomes.index(Outcome.DONE)]


@spelled
@pytest.mark.usefixtures("place")
def test_only_the_newest_starts_owner_settles_and_only_once(
    write: Callable[[Write], Outcome],
) -> None:
    run = _put(claimed("d"))
    first = _begun(run, "first")
    write(_start(run, first))
    second = _begun(first, "second")
    write(_start(first, second))

    def settle(number: int) -> Outcome:
        held = (first, second)[number % 2]
        life = run_row.ended(held.life, Status.SUCCEEDED, Reason.NONE, now_ms=number)
        return write(run_writes.settle(held, life, now_ms=number))

    outcomes = at_once(THREADS, settle)

    assert outcomes[::2] == [Outcome.REFUSED] * (THREADS // 2)
    assert outcomes[1::2].count(Outcome.DONE) == 1
    assert outcomes[1::2].count(Outcome.REFUSED) == THREADS // 2 - 1
    assert _read(run).life.its_end.ended_ms == outcomes.index(Outcome.DONE)


@spelled
@pytest.mark.usefixtures("place")
def test_a_run_starts_or_is_cancelled_never_both(write: Callable[[Write], Outcome]) -> None:
    for slot in range(20):
        run = _put(claimed("d", SLOT + slot))
        begun = _begun(run, "worker")
        either = [
            _start(run, begun),
            run_writes.settle_unstarted(run, Status.CANCELLED, Reason.USER, now_ms=1),
            run_writes.stamp(run, 2, now_ms=1),
        ]
        outcomes = at_once(len(either), partial(_write_one_of, either, write))

        first = [outcomes[0] is Outcome.DONE, outcomes[1] is Outcome.DONE]
        assert first.count(True) == 1 - (outcomes[2] is Outcome.DONE)


@pytest.mark.parametrize("most", [1, 3])
@pytest.mark.usefixtures("place")
def test_never_more_run_than_the_gate_lets_in_and_all_do_in_the_end(most: int) -> None:
    waiting = task(1, "* * * * *", overlap="queue", max_concurrent=most)
    jobs = [_job(waiting, number) for number in range(12)]
    inside, peaks, lock = [0], [], Lock()

    def pass_through(number: int) -> None:
        job = jobs[number]
        while overlap.acquire(job) is not None:
            time.sleep(0.005)
        with lock:
            inside[0] += 1
            peaks.append(inside[0])
        time.sleep(0.01)
        with lock:
            inside[0] -= 1
        ended = run_writes.settle_unstarted(job.held, Status.CANCELLED, Reason.USER, now_ms=1)
        assert conditional_writer.write_one(ended) is Outcome.DONE
        overlap.finish(job)

    at_once(len(jobs), pass_through)

    assert max(peaks) <= most
    assert len(peaks) == len(jobs)


@pytest.mark.usefixtures("place")
def test_of_those_that_skip_as_many_get_in_as_there_are_places() -> None:
    skipping = task(1, "* * * * *", overlap="skip", max_concurrent=3)
    jobs = [_job(skipping, number) for number in range(24)]

    turned = at_once(len(jobs), lambda number: overlap.acquire(jobs[number]))

    assert turned.count(None) == 3
    assert set(turned) <= {None, Skip(Status.SKIPPED, Reason.OVERLAP)}


def _write_one_of(writes: list[Update], write: Callable[[Write], Outcome], number: int) -> Outcome:
    return write(writes[number])


def _put(run: Run) -> Run:
    assert conditional_writer.write_one(run_writes.insert(run, now_ms=0)) is Outcome.DONE
    return run


def _begun(run: Run, owner: str) -> Run:
    now_ms = run.life.due_ms
    return run_writes.started(run, owner=owner, msg="m", now_ms=now_ms, lease_ms=now_ms + LEASE_MS)


def _start(seen: Run, begun: Run) -> Update:
    return run_writes.start(seen, begun, now_ms=seen.life.due_ms)


def _read(run: Run) -> Run:
    item = table_reads.get("runs", run_row.row_key(run.run_id))
    assert item is not None
    return run_row.parse(item)


def _job(of: Task, number: int) -> Job:
    run = _put(replace(claimed("d", SLOT + number), task_id=of.task_id))
    ticket = Ticket(run.run_id, 1, 1)
    hint = Hint(attempt=1, receives=1, message_id=f"{number}")
    return Job(ticket=ticket, hint=hint, run=run, task=of)
