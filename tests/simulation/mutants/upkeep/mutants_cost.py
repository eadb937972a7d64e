"""Planted faults of cost: a call, a read or a write more than a run needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from onthedot.records.conditional_writes import Outcome, Write
from onthedot.records.runs import run_row, run_writes
from onthedot.records.runs.run_row import Run
from onthedot.store import clock, conditional_writer, table_reads
from onthedot.work import prepared_start, starts
from onthedot.work.gates import key_gate, overlap, tenant_quota
from onthedot.work.job import Job
from onthedot.work.verdicts import Answers
from tests.simulation.mutants.mutant import Mutant, Patch


def read_again() -> list[Patch]:
    """Each run's row is read once more before it starts."""
    beginning = prepared_start.begin

    def begin(starts: Sequence[Job], worker: str) -> Any:
        for one in starts:
            table_reads.get(run_row.TABLE, run_row.row_key(one.held.run_id))
        return beginning(starts, worker)

    return [(starts, "begin", begin)]


def marked_first() -> list[Patch]:
    """Each start is announced on the row before it is made."""
    beginning = prepared_start.begin

    def begin(starts: Sequence[Job], worker: str) -> Any:
        now_ms = clock.now_ms()
        conditional_writer.write_many(
            [run_writes.mark(one.held, one.held.life, now_ms=now_ms) for one in starts]
        )
        return beginning(starts, worker)

    return [(starts, "begin", begin)]


def left_twice() -> list[Patch]:
    """A key's gate is looked at once more by who leaves the task's own."""
    releasing = overlap.release

    def release(run: Run) -> None:
        key_gate.leave(run)
        releasing(run)

    return [(overlap, "release", release)]


def advanced_one_by_one() -> list[Patch]:
    """Each write of a batch is a call of its own."""
    writing: Callable[..., list[Outcome]] = conditional_writer.write

    def write(writes: Sequence[Write], over: Any) -> list[Outcome]:
        return [outcome for one in writes for outcome in writing([one], over)]

    return [(conditional_writer, "write", write)]


def permits_read_again() -> list[Patch]:
    """Who has a permit looks once more."""
    entering = tenant_quota.enter

    def enter(jobs: Sequence[Job], *, worker: str) -> Answers:
        answers = entering(jobs, worker=worker)
        for one, waits in answers:
            if not waits:
                tenant_quota.all_taken(one.held.tenant_id)
        return answers

    return [(tenant_quota, "enter", enter)]


COSTS = (
    Mutant("read again", "one read of a run and its task", read_again, ("costs",)),
    Mutant("marked first", "a start is one write", marked_first, ("costs",)),
    Mutant("left twice", "0064: two reads more for a key", left_twice, ("costs",), seed=10),
    Mutant("one by one", "writes go by 25", advanced_one_by_one, ("costs",)),
    Mutant("permits again", "0070: three queries", permits_read_again, ("costs of a quota",)),
)
