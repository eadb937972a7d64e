"""Takes places at many gates at once. Nearly every place is free, so one batch is enough.

Any gate with an obstacle is left to `overlap`, which takes runs one by one.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from onthedot.launch import backfill_flow
from onthedot.records.conditional_writes import Outcome
from onthedot.records.runs import overlap_gate
from onthedot.records.runs.overlap_gate import Enter, Gate, Have
from onthedot.records.runs.run_row import Run
from onthedot.store import conditional_writer
from onthedot.work.gates import gate_items, key_gate, overlap, tenant_quota
from onthedot.work.gates.gate_items import Look
from onthedot.work.job import Job
from onthedot.work.verdicts import Answers


def enter(jobs: Sequence[Job]) -> Answers:
    """Takes places at the gates of tasks."""
    disputed = {job.held.task_id for job in jobs if not overlap.undisputed(job)}
    plain = [job for job in jobs if job.held.task_id not in disputed]
    alone, others = _one_a_task(plain)
    entered = _enter_undisputed(alone)
    left_of = {*others, *(job for job in alone if job not in entered)}
    singly = [job for job in jobs if job in left_of or job.held.task_id in disputed]
    # Late ones before what came due meanwhile: their message may be the later one.
    singly.sort(key=lambda job: job.held.life.due_ms)
    at_once: Answers = [(job, None) for job in entered]
    return [*at_once, *((job, overlap.acquire(job)) for job in singly)]


def leave(jobs: Iterable[Job]) -> None:
    """Gives up places after final outcomes. A gate with waiting runs is handled by itself."""
    ended = list(jobs)
    if bounded := [job for job in ended if job.is_bounded]:
        tenant_quota.finish(bounded)
    for job in ended:
        if job.held.life.key_gate:
            key_gate.leave(job.held)
    alone, others = _one_a_task([job for job in ended if overlap.releases(job)])
    seen = gate_items.read_many([job.held.task_id for job in alone]) if len(alone) > 1 else {}
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
    if filled := [job.held for job in ended if job.held.backfill_id and overlap.guards(job)]:
        backfill_flow.follow(filled)


def _one_a_task(jobs: Sequence[Job]) -> tuple[list[Job], list[Job]]:
    """Takes one run of each task: two writes of one gate would make the store reject the batch."""
    first = {job.held.task_id: job for job in reversed(jobs)}
    alone = [job for job in jobs if first[job.held.task_id] is job]
    return alone, [job for job in jobs if first[job.held.task_id] is not job]


def _enter_undisputed(jobs: Sequence[Job]) -> list[Job]:
    """Returns the jobs that could simply enter."""
    if len(jobs) < 2:
        return []
    seen = gate_items.read_many([job.held.task_id for job in jobs])
    looks = gate_items.look_into([(seen[job.held.task_id], job.held.key) for job in jobs])
    entering: list[tuple[Job, Gate, Enter]] = []
    entered = []
    for job, look in zip(jobs, looks, strict=True):
        if look.seen.catches_up:
            # Others catch up: it may have to stand behind them.
            continue
        entry = _entry_at_once(job, look)
        if isinstance(entry, Have):
            entered.append(job)
        elif isinstance(entry, Enter):
            entering.append((job, look.seen, entry))
    writes = [overlap_gate.write(gate, entry.gate) for _, gate, entry in entering]
    for (job, *_), outcome in zip(entering, conditional_writer.write_many(writes), strict=True):
        if outcome is Outcome.DONE:
            entered.append(job)
    return entered


def _entry_at_once(job: Job, look: Look) -> overlap_gate.Entry:
    """Decides as the one by one would."""
    run, task = job.held, job.its_task
    return overlap_gate.enter(look.now, run.key, task, look.order(run.key, run))


def _nobody_waits(seen: Gate | None, run: Run) -> bool:
    if seen is None or run.key not in seen.holders:
        return False
    return not seen.waiting and not seen.since
