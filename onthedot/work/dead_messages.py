"""Handles messages that SQS gave up on: their runs are sent again, or ended if they cannot run."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from onthedot.records.conditional_writes import Outcome
from onthedot.records.runs import run_writes
from onthedot.records.runs.message_pack import Ticket, delay_sec
from onthedot.records.runs.pull import pulled
from onthedot.records.runs.run_row import Life, Run
from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.timings import (
    BURIED_MAX,
    BUSY_MAX_SEC,
    HOLD_MAX_SEC,
    LEASE_SEC,
    MARGIN_SEC,
    RECEIVES_MAX,
)
from onthedot.store import clock, conditional_writer, run_messages
from onthedot.work.batch import Received, received
from onthedot.work.decision_table import Hint
from onthedot.work.gates import overlap, waiting_runs
from onthedot.work.job import Job, load


def bury(event: Mapping[str, Any]) -> dict[str, Any]:
    """Works through dead messages. A message whose run could not be handled comes back."""
    batch = received(event)
    batch.drop_foreign()
    for message in batch.messages:
        jobs = [_job(ticket, message) for ticket in message.pack.tickets]
        load(jobs)
        batch.without_row([job.ticket.run_id for job in jobs if job.missing])
        batch.done([job.ticket.run_id for job in jobs if _dealt_with(job)])
    batch.delete_done()
    batch.count_put_aside()
    return batch.failures()


def _job(ticket: Ticket, message: Received) -> Job:
    hint = Hint(attempt=ticket.attempt, receives=message.receives, message_id=message.message_id)
    return Job(ticket=ticket, hint=hint, tenant_id=message.pack.tenant_id)


def _dealt_with(job: Job) -> bool:
    """Sends a healthy run again, with a new count of receives. It is never ended here."""
    if job.run is None:
        return job.missing
    run, now_ms = job.held, clock.now_ms()
    if run.final:
        overlap.finish(job)
        return True
    if pulled(run.queue):
        # Outside workers find it by its index. It needs no message.
        return True
    lease_ends = run.life.lease_ms + MARGIN_SEC * 1000
    if run.life.status in (Status.RUNNING, Status.AWAITING) and now_ms <= lease_ends:
        return run_messages.send(
            run, "resend", min(BUSY_MAX_SEC, (lease_ends - now_ms) // 1000 + 1)
        )
    counted = run.life.starts - run.life.released
    if job.task is not None and counted >= job.task.max_attempts:
        return _ended(job, now_ms)
    if now_ms < died_ms(run.life) or _waits(run, now_ms):
        # Nothing shows that a message of it was given up on: anybody may have written this one.
        return run_messages.send(run, "resend", delay_sec(run.life.due_ms, now_ms))
    if run.life.buried >= BURIED_MAX:
        return _ended(job, now_ms)
    again = replace(run.life, buried=run.life.buried + 1)
    if conditional_writer.write_one(run_writes.mark(run, again, now_ms=now_ms)) is not Outcome.DONE:
        return False
    return run_messages.send(run, "resend")


def died_ms(life: Life) -> int:
    """Returns the earliest time at which SQS can have given up on one more message of a run.

    Each receive takes a lease. The first one comes shortly before the run is due.
    """
    receipts = (life.buried + 1) * RECEIVES_MAX
    return life.due_ms + (receipts * LEASE_SEC - HOLD_MAX_SEC) * 1000


def _waits(run: Run, now_ms: int) -> bool:
    """Tells whether a run waits in a line: then all of its messages are done."""
    return waiting_runs.shown([run], now_ms)[0].life.status == Status.WAITING


def _ended(job: Job, now_ms: int) -> bool:
    write = run_writes.settle_unstarted(job.held, Status.DEAD, Reason.UNDELIVERABLE, now_ms=now_ms)
    if conditional_writer.write_one(write) is not Outcome.DONE:
        return False
    overlap.finish(job)
    return True
