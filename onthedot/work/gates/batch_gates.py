"""Takes places at many gates at once. Nearly every place is free, so one batch is enough.

Any gate with an obstacle is left to `overlap`, which takes runs one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from onthedot.launch import backfill_flow
from onthedot.records.conditional_writes import Outcome
from onthedot.records.keys import GATE
from onthedot.records.runs import overlap_gate, run_row
from onthedot.records.runs.overlap_gate import Enter, Gate, Have
from onthedot.records.runs.run_row import Run
from onthedot.store import conditional_writer, table_reads
from onthedot.work.batch import Batch
from onthedot.work.decision_table import Skip
from onthedot.work.gates import key_gate, overlap, tenant_quota
from onthedot.work.job import Job


@dataclass(slots=True)
class Passed:
    """The runs that have a place now, and those turned away with an outcome. The rest wait."""

    entered: list[Job] = field(default_factory=list)
    turned: list[tuple[Job, Skip]] = field(default_factory=list)


def enter(batch: Batch, jobs: Sequence[Job]) -> Passed:
    """Takes places. Tasks without a gate let every run through."""
    passed = Passed([job for job in jobs if not overlap.guards(job)])
    guarded = [job for job in jobs if overlap.guards(job)]
    disputed = {job.held.task_id for job in guarded if not overlap.undisputed(job)}
    plain = [job for job in guarded if job.held.task_id not in disputed]
    alone, others = _one_a_task(plain)
    left = _enter_undisputed(alone, passed)
    left_of = {*left, *others}
    singly = [job for job in guarded if job in left_of or job.held.task_id in disputed]
    # Late runs go before runs that came due meanwhile: their messages may come later.
    for job in sorted(singly, key=lambda job: job.held.life.due_ms):
        answer = overlap.acquire(batch, job)
        if isinstance(answer, Skip):
            passed.turned.append((job, answer))
        elif answer is None:
            passed.entered.append(job)
    return passed


def leave(jobs: Iterable[Job]) -> None:
    """Gives up places after final outcomes. A gate with waiting runs is handled by itself."""
    ended = list(jobs)
    tenant_quota.finish(ended)
    for job in ended:
        key_gate.leave(job.held)
    alone, others = _one_a_task([job for job in ended if overlap.releases(job)])
    seen = _read(alone) if len(alone) > 1 else {}
    quiet = [job for job in alone if _nobody_waits(seen.get(job.held.task_id), job.held)]
    writes = [
        overlap_gate.write(seen[job.held.task_id], seen[job.held.task_id].without([job.held.key]))
        for job in quiet
    ]
    outcomes = conditional_writer.write_many(writes)
    gone = {job for job, done in zip(quiet, outcomes, strict=True) if done is Outcome.DONE}
    for job in (*alone, *others):
        if job not in gone:
            overlap.release(job.held)
    backfill_flow.follow(
        [job.held for job in ended if job.held.backfill_id and overlap.guards(job)]
    )


def _one_a_task(jobs: Sequence[Job]) -> tuple[list[Job], list[Job]]:
    """Takes one run of each task: two writes of one gate would make the store reject the batch."""
    first = {job.held.task_id: job for job in reversed(jobs)}
    alone = [job for job in jobs if first[job.held.task_id] is job]
    return alone, [job for job in jobs if first[job.held.task_id] is not job]


def _enter_undisputed(jobs: Sequence[Job], passed: Passed) -> list[Job]:
    """Returns the jobs that could not enter at once."""
    if len(jobs) < 2:
        return list(jobs)
    seen = _read(jobs)
    rows = _rows(seen.values(), jobs)
    entering: list[tuple[Job, Enter]] = []
    left = []
    for job in jobs:
        if seen[job.held.task_id].catches_up:
            # Other runs catch up, and it may have to wait behind them.
            left.append(job)
            continue
        entry = _entry(job, seen[job.held.task_id], rows)
        if isinstance(entry, Have):
            passed.entered.append(job)
        elif isinstance(entry, Enter):
            entering.append((job, entry))
        else:
            left.append(job)
    writes = [overlap_gate.write(seen[job.held.task_id], entry.gate) for job, entry in entering]
    for (job, _), outcome in zip(entering, conditional_writer.write_many(writes), strict=True):
        (passed.entered if outcome is Outcome.DONE else left).append(job)
    return left


def _entry(job: Job, seen: Gate, rows: dict[tuple[str, str], Run]) -> overlap_gate.Entry:
    """Decides like `overlap`: runs that are final or missing hold no place."""
    run, task = job.held, job.task
    if task is None:
        raise LookupError(f"{run.run_id} has no task")
    named = {key: rows.get((run.task_id, key)) for key in (*seen.holders, *seen.waiting)}
    over = [key for key, row in named.items() if key != run.key and (row is None or row.final)]
    order = {key: row.life.due_ms for key, row in named.items() if row}
    return overlap_gate.enter(seen.without(over), run.key, task, order | {run.key: run.life.due_ms})


def _nobody_waits(seen: Gate | None, run: Run) -> bool:
    if seen is None or run.key not in seen.holders:
        return False
    return not seen.waiting and not seen.since


def _read(jobs: Sequence[Job]) -> dict[str, Gate]:
    keys = [{"task_id": job.held.task_id, "scheduled_for": GATE} for job in jobs]
    found = table_reads.get_many({overlap_gate.TABLE: keys})[overlap_gate.TABLE]
    items = {item["task_id"]: item for item in found}
    names = [job.held.task_id for job in jobs]
    return {name: overlap_gate.parse(name, items.get(name)) for name in names}


def _rows(seen: Iterable[Gate], jobs: Sequence[Job]) -> dict[tuple[str, str], Run]:
    own = {(job.held.task_id, job.held.key) for job in jobs}
    named = {(one.task_id, key) for one in seen for key in (*one.holders, *one.waiting)}
    keys = [{"task_id": task, "scheduled_for": key} for task, key in sorted(named - own)]
    found = [
        run_row.readable(item)
        for item in table_reads.get_many({run_row.TABLE: keys})[run_row.TABLE]
    ]
    return {(run.task_id, run.key): run for run in found if run}
