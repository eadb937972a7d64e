"""Makes jobs from the messages of one receive."""

from __future__ import annotations

from onthedot.work.batch import Batch
from onthedot.work.decision_table import Hint
from onthedot.work.job import Job


def jobs_of(batch: Batch, worker: str) -> list[Job]:
    """Makes one job for each run, even if several messages name it: a batch needs unique items."""
    jobs: dict[str, Job] = {}
    for message in batch.messages:
        for ticket in message.pack.tickets:
            if ticket.run_id not in message.owes:
                continue
            hint = Hint(
                attempt=ticket.attempt,
                receives=message.receives,
                message_id=message.message_id,
                why=message.pack.why,
            )
            known = jobs.get(ticket.run_id)
            if known is None or known.ticket.attempt < ticket.attempt:
                jobs[ticket.run_id] = Job(
                    ticket=ticket, hint=hint, worker=worker, tenant_id=message.pack.tenant_id
                )
    return list(jobs.values())
