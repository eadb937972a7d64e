"""Handles runs that do not start now: over, another worker's, not due, or without a place."""

from __future__ import annotations

from onthedot.store import run_messages
from onthedot.targets.aws import executions
from onthedot.work import awaited_completion
from onthedot.work.batch import Batch
from onthedot.work.decision_table import Await, Busy, Decision, Defer, Over
from onthedot.work.gates import overlap, tenant_quota
from onthedot.work.job import Job
from onthedot.work.verdicts import Back, Later, Struck


def leave(batch: Batch, job: Job, said: Decision | Struck | Back | Later) -> None:
    """Strikes the run off its message, or lets a message come back when there is more to do."""
    match said:
        case Over():
            _over(batch, job)
        case Busy(seconds):
            batch.postpone(job.ticket, job.tenant_id, seconds)
        case Defer(seconds):
            batch.renew(job.ticket, job.tenant_id, job.held.life.due_ms, seconds)
        case Await():
            leave(batch, job, awaited_completion.look(job))
        case Later(seconds, why):
            # L2: the old message goes only when SQS has taken the new one.
            if run_messages.send(job.held, why, seconds):
                batch.done([job.ticket.run_id])
        case Struck():
            batch.done([job.ticket.run_id])


def _over(batch: Batch, job: Job) -> None:
    """A retrying run, whose older message this is, keeps its place until it is final."""
    if job.run is None:
        batch.without_row([job.ticket.run_id])
    elif job.run.final:
        overlap.finish(job)
        if not executions.stopped(job.run):
            return
    else:
        tenant_quota.leave([job.run])
    batch.done([job.ticket.run_id])
