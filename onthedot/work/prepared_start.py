"""Prepares a start while its run is held, so that at its second it only has to be sent."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from onthedot.records.conditional_writes import Outcome
from onthedot.records.keys import is_slot_key
from onthedot.records.runs import overlap_gate, run_writes
from onthedot.records.runs.pull import pulled
from onthedot.records.runs.run_row import BEHIND, Run
from onthedot.records.tasks.misfire import is_late
from onthedot.records.timings import HOLD_MAX_SEC, LEASE_SEC
from onthedot.store import clock, conditional_writer
from onthedot.targets.python import run_log
from onthedot.work.gates import late_line
from onthedot.work.job import Job, Ready


def prepare(job: Job, worker: str) -> Ready:
    """Prepares the start as of its due time. `begin` puts the time of sending in."""
    seen = _under(job)
    now_ms = max(seen.life.due_ms, clock.now_ms())
    begun = run_writes.started(
        seen,
        owner=worker,
        msg=job.hint.message_id,
        now_ms=now_ms,
        lease_ms=now_ms + LEASE_SEC * 1000,
        version=job.task.version if job.task else 0,
        # An outside worker keeps its own log. This process is only the API that it asked.
        log="" if pulled(seen.queue) else run_log.stream(),
        waited=_waited(job),
        late=job.late,
    )
    job.ready = Ready(begun, run_writes.start(job.held, begun, now_ms=now_ms))
    return job.ready


def still_ready(job: Job) -> bool:
    """Tells whether what was decided for the due time still counts: not after a long stall."""
    return job.ready is not None and clock.now_ms() < job.wake_ms + HOLD_MAX_SEC * 1000


def begin(jobs: Sequence[Job], worker: str) -> tuple[list[Job], list[tuple[Job, Outcome]]]:
    """Starts all in one call. Returns those that surely run, and what is known of the others."""
    now_ms = clock.now_ms()
    late = [*_late(jobs, now_ms), *_overdue(jobs, now_ms)]
    doubtful = [(job, Outcome.REFUSED) for job in late]
    jobs = [job for job in jobs if job not in late]
    ready = [job.ready or prepare(job, worker) for job in jobs]
    leases = [_lease_ms(job, now_ms) for job in jobs]
    outcomes = conditional_writer.write_many(
        [
            run_writes.at(each.write, now_ms, lease)
            for each, lease in zip(ready, leases, strict=True)
        ]
    )
    started: list[Job] = []
    for job, each, lease_ms, outcome in zip(jobs, ready, leases, outcomes, strict=True):
        if outcome is Outcome.DONE:
            begun = each.begun.life
            attempt = replace(begun.its_attempt, started_ms=now_ms, lease_ms=lease_ms)
            job.run = replace(each.begun, life=replace(begun, attempt=attempt))
            started.append(job)
        else:
            doubtful.append((job, outcome))
    return started, doubtful


def agreed(jobs: Sequence[Job]) -> list[Job]:
    """Writes the version of the call if the start has another one. Returns those that have it.

    An edit came in between and could not stamp them. If the write fails, the target is not called:
    the lease ends, and another attempt begins.
    """
    now_ms = clock.now_ms()
    other = [
        job
        for job in jobs
        if job.task and not job.answer and job.task.version != job.held.life.its_attempt.version
    ]
    attempts = [replace(job.held.life.its_attempt, version=job.its_task.version) for job in other]
    lives = [
        replace(job.held.life, attempt=each) for job, each in zip(other, attempts, strict=True)
    ]
    notes = [
        run_writes.mark(job.held, life, now_ms=now_ms)
        for job, life in zip(other, lives, strict=True)
    ]
    outcomes = conditional_writer.write_many(notes)
    for job, life, outcome in zip(other, lives, outcomes, strict=True):
        job.lost = outcome is not Outcome.DONE
        job.run = replace(job.held, life=life)
    return [job for job in jobs if not job.lost]


def _late(jobs: Sequence[Job], now_ms: int) -> list[Job]:
    """Returns jobs whose permits are over: their runs would begin without a lease."""
    return [job for job in jobs if _lease_ms(job, now_ms) <= now_ms]


def _overdue(jobs: Sequence[Job], now_ms: int) -> list[Job]:
    """Returns first starts that have become late since their decision, for misfire to judge.

    It may take a while to get a place. On a machine that has just started, much is slow.
    """
    return [
        job
        for job in jobs
        if not (job.judged or job.held.life.attempt or pulled(job.held.queue))
        and is_slot_key(job.held.key)
        and is_late(job.under.due_ms if job.under else job.held.life.due_ms, now_ms)
    ]


def _waited(job: Job) -> str:
    """Returns why the run waited: in a line that woke it, or for its turn at a rate.

    A message can claim this falsely, so it counts only for runs that can wait in a line.
    """
    waited = job.held.life.waited
    if waited and (waited != BEHIND or (job.task and late_line.is_behind(job.held, job.task))):
        return waited
    if job.hint.why == "wake" and _may_wait(job):
        return "line"
    return "rate" if job.held.life.booking else ""


def _may_wait(job: Job) -> bool:
    """Tells whether there is a line for it: its task's, its tenant's, or its key's."""
    bounded = job.task is not None and overlap_gate.waits(job.task)
    return bounded or bool(job.most or job.held.life.key_gate)


def _lease_ms(job: Job, now_ms: int) -> int:
    """Returns the lease's end. It never outlives the permit, which another may then take over."""
    lease_ms = now_ms + LEASE_SEC * 1000
    return min(lease_ms, job.permit.lease_ms) if job.permit else lease_ms


def _under(job: Job) -> Run:
    """Returns the run under a newer schedule, if that has its slot, at the new due time."""
    run, under = job.held, job.under
    if under is None:
        raise LookupError(f"{run.run_id} was not decided to start")
    life = replace(run.life, due_ms=under.due_ms, schedule_version=under.schedule_version)
    return replace(run, life=life)
