"""Handles runs that do not start now: over, another worker's, or not due for a while."""

from __future__ import annotations

from onthedot.store import queue
from onthedot.targets.aws import executions
from onthedot.work import awaited_completion, unreadable_messages
from onthedot.work.batch import Batch
from onthedot.work.decision_table import Await, Busy, Decision, Defer, Over
from onthedot.work.gates import overlap, tenant_quota
from onthedot.work.job import Job


def leave(batch: Batch, job: Job, decision: Decision) -> None:
    """Strikes the run off its message, or lets the message come back if there is more to do."""
    match decision:
        case Over():
            # A retrying run has an older message here. It keeps its place until it is final.
            if job.run is not None and job.run.final:
                overlap.finish(job)
                if not executions.stopped(job.run):
                    return
            elif job.run is not None:
                tenant_quota.leave([job.run])
            else:
                unreadable_messages.without_row(batch, [job.ticket.run_id])
            batch.done([job.ticket.run_id])
        case Busy(seconds):
            _come_back(batch, job, seconds)
        case Defer(seconds):
            _defer(batch, job, seconds)
        case Await():
            awaited_completion.look(batch, job)


def _come_back(batch: Batch, job: Job, seconds: int) -> None:
    """Lets a message of its own come back later. A run of a pack gets a new one."""
    for message in batch.naming(job.ticket.run_id):
        if len(message.pack.tickets) == 1:
            queue.change_visibility(batch.url, [(message.receipt, seconds)])
        else:
            single = batch.single(message.pack, job.ticket, "busy").of_tenant(job.tenant_id)
            if not queue.send([(single, seconds)]):
                message.owes.discard(job.ticket.run_id)


def _defer(batch: Batch, job: Job, seconds: int) -> None:
    """Sends a new message. The old one goes only when SQS has taken the new one (L2)."""
    for message in batch.naming(job.ticket.run_id)[:1]:
        fresh = batch.single(message.pack, job.ticket, "hop", job.held.life.due_ms)
        if not queue.send([(fresh.of_tenant(job.tenant_id), seconds)]):
            batch.done([job.ticket.run_id])
