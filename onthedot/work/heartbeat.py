"""Extends the leases and messages of running handlers together."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from onthedot.records.conditional_writes import Outcome
from onthedot.records.runs import run_writes
from onthedot.records.runs.run_row import leased
from onthedot.records.timings import LEASE_SEC
from onthedot.store import clock, conditional_writer
from onthedot.store.conditional_writer import Forgiven
from onthedot.work.batch import Batch
from onthedot.work.gates import tenant_quota
from onthedot.work.job import Job, load

# Four fifths of the time are used: four times what is left.
_MOST_TIMES = 4


def extend(batch: Batch, running: Sequence[Job]) -> list[Job]:
    """Returns the jobs that are still ours. The others are told that they lost their lease."""
    now_ms = clock.now_ms()
    lease_ms = now_ms + LEASE_SEC * 1000
    holding = [job for job in running if job.permit]
    outcomes = tenant_quota.extend(holding, lease_ms) if holding else {}
    firm = [job for job in running if outcomes.get(job, Outcome.DONE) is Outcome.DONE]
    lives = {job: replace(leased(job.held.life, lease_ms), progress=job.reached) for job in firm}
    extended = [
        run_writes.extend(job.held, lives[job], long=_long(job, now_ms), now_ms=now_ms)
        for job in firm
    ]
    outcomes |= zip(firm, conditional_writer.write_many(extended), strict=True)
    kept = []
    for job in running:
        outcome = outcomes[job]
        # The extension is in doubt for longer than the last sure lease: the run may be another's.
        over = outcome is Outcome.UNSURE and job.held.life.lease_ms <= now_ms
        if outcome is Outcome.REFUSED or over:
            job.lost = True
            job.exchange.break_off()
            continue
        if outcome is Outcome.DONE:
            listed = "long" if _long(job, now_ms) else job.held.attention
            job.run = replace(job.held, life=lives[job], attention=listed)
        kept.append(job)
    # A message that comes back finds the run busy, and the next beat finds a cancel.
    with Forgiven():
        batch.keep(job.ticket.run_id for job in kept)
    _look_for_cancels(kept)
    return kept


def _long(job: Job, now_ms: int) -> bool:
    """Tells whether most of the attempt's time has passed."""
    taken_ms, given_ms = now_ms - job.held.life.its_attempt.started_ms, job.deadline_ms - now_ms
    return taken_ms >= _MOST_TIMES * given_ms


def _look_for_cancels(kept: Sequence[Job]) -> None:
    """Looks for requests to cancel on the rows. A call is broken off; a handler finds it itself."""
    before = [(job, job.held) for job in kept]
    with Forgiven():
        load(kept)
    for job, mine in before:
        # A look that failed may have read the row of another attempt.
        seen = job.run or mine
        job.run = replace(
            mine,
            cancel_ms=seen.cancel_ms,
            cancel_by=seen.cancel_by,
            # A beat whose answer was lost may have listed it. Its settle has to remove that.
            attention=seen.attention or mine.attention,
        )
        if seen.cancel_ms:
            job.stop()
