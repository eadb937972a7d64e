"""Settles attempts: the outcome is written by the attempt's fence, and by nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from onthedot.records.conditional_writes import Outcome
from onthedot.records.runs import run_writes, stale_settles
from onthedot.records.runs.message_pack import POLL, delay_sec
from onthedot.records.runs.run_row import Attempt, Life, Run
from onthedot.records.runs.run_status import FINAL, Status
from onthedot.store import clock, conditional_writer, ids, run_messages
from onthedot.store.conditional_writer import Forgiven
from onthedot.targets.attempt_outcome import Done, after, after_cancel, next_look_sec
from onthedot.work.batch import Batch
from onthedot.work.gates import overlap, tenant_quota
from onthedot.work.job import Job, load, put_off

# Milliseconds. With less of its lease left, an attempt is left to the next worker.
_LEFT_MS = 1_000


def settle(batch: Batch, ended: Sequence[Job]) -> None:
    """Sends what is to be tried again or looked at, then settles, then finishes, then deletes.

    The next message goes first: a settled retry without one would wait for the audit. What the
    store does not take is put off: an outcome in doubt must not cost an attempt.
    """
    with Forgiven():
        _settle(batch, ended)
    put_off(job for job in ended if not job.over)
    batch.delete_done()


def given_up(job: Job) -> bool:
    """Tells whether an outcome could not be written for so long that its lease is nearly over."""
    return job.ended and clock.now_ms() >= job.held.life.lease_ms - _LEFT_MS


def _settle(batch: Batch, ended: Sequence[Job]) -> None:
    now_ms = clock.now_ms()
    for job in ended:
        if job.ending is None:
            job.ending = _life_after(job, now_ms)
            if job.ending.status == Status.AWAITING and job.permit:
                # What it waits for goes on elsewhere, and holds its permit as long as it may take.
                tenant_quota.extend([job], job.ending.lease_ms)
    ready = [
        (job, life)
        for job in ended
        if (life := job.ending) and not job.written and _followed(batch, job, life, now_ms)
    ]
    writes = [run_writes.settle(job.held, life, now_ms=now_ms) for job, life in ready]
    doubtful: list[Job] = []
    for (job, _), outcome in zip(ready, conditional_writer.write_many(writes), strict=True):
        if outcome is Outcome.DONE:
            job.written = True
        else:
            doubtful.append(job)
    _read_back(doubtful)
    _close(batch, [job for job in ended if job.written and not job.over])


def _life_after(job: Job, now_ms: int) -> Life:
    answer = after_cancel(job.answer or job.part.result(), job.held)
    life = replace(job.held.life, progress=job.reached)
    if life.starts == 1 and job.called_ms:
        life = replace(life, called_ms=job.called_ms)
    return after(
        life,
        job.its_task,
        answer,
        now_ms=now_ms,
        fraction=ids.fraction(),
        delivered=job.delivers and isinstance(answer, Done),
    )


def _followed(batch: Batch, job: Job, life: Life, now_ms: int) -> bool:
    """Tells whether the message is out that the run needs once it is settled so."""
    if life.status not in FINAL and not job.followed:
        job.followed = _next_sent(batch, job, life, now_ms)
    return life.status in FINAL or job.followed


def _next_sent(batch: Batch, job: Job, life: Life, now_ms: int) -> bool:
    # An edit of the priority may have sent it by another queue than its row names.
    run = replace(job.held, life=life, queue=batch.queue)
    if life.status == Status.AWAITING:
        return run_messages.send(run, POLL, next_look_sec(life, now_ms))
    return run_messages.send(run, "retry", max(1, delay_sec(life.due_ms, now_ms)))


def _close(batch: Batch, settled: Sequence[Job]) -> None:
    """Gives up places before messages go: the runs that wait must not be forgotten."""
    lives = [(job, job.ending) for job in settled if job.ending]
    again = [
        job.held for job, life in lives if life.status == Status.RETRYING and job.held.life.permit
    ]
    if again:
        tenant_quota.leave(again)
    overlap.leave([job for job, life in lives if life.status in FINAL])
    for job in settled:
        batch.done([job.ticket.run_id])
        job.over = True


def _read_back(doubtful: Sequence[Job]) -> None:
    """Reads rows in doubt. After a lost answer they show our own outcome; else nothing changes.

    If the row cannot be read now, the outcome stays in doubt, and the job keeps its row.
    """
    mine = [job.held for job in doubtful]
    with Forgiven():
        load(doubtful)
        for job, started in zip(doubtful, mine, strict=True):
            _recognise(job, started)
    for job, started in zip(doubtful, mine, strict=True):
        job.run = replace(started, cancel_ms=job.held.cancel_ms, cancel_by=job.held.cancel_by)


def _is_of(seen: Attempt | None, started: Attempt) -> bool:
    """Tells whether a row still shows the very start that was ours."""
    return seen is not None and (seen.number, seen.owner) == (started.number, started.owner)


def _recognise(job: Job, started: Run) -> None:
    seen = job.run
    if seen is None:
        job.over = True
    elif not _is_of(seen.life.attempt, started.life.its_attempt):
        # The target was called all the same. This records it and changes nothing else.
        note = stale_settles.note(seen, started.life.its_attempt, now_ms=clock.now_ms())
        conditional_writer.write_one(note)
        job.over = True
    elif seen.life.status != Status.RUNNING and job.ending:
        job.ending = replace(job.ending, status=seen.life.status)
        job.written = True
    elif seen.cancel_ms:
        # A request to cancel came at its end, so its outcome must be decided again.
        job.ending = None
