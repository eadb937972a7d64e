"""Planted faults of messages: which go, which stay, and which are shown again."""

from __future__ import annotations

from typing import Any

from onthedot.records.runs.message_pack import Ticket
from onthedot.store import pull_index, queue
from onthedot.targets.python import cloud_context, step_effects
from onthedot.work import no_start, settlement
from onthedot.work.batch import Batch
from onthedot.work.decision_table import Decision, Over
from onthedot.work.gates import key_gate, overlap, tenant_quota
from onthedot.work.gates.concurrency_key import Limit
from onthedot.work.job import Job
from onthedot.work.verdicts import Back, Later, Verdict
from tests.simulation.mutants.mutant import Mutant, Patch


def kept() -> list[Patch]:
    """What is over is finished, and its message comes back all the same."""
    original = no_start.leave

    def leave(batch: Batch, job: Job, decision: Decision) -> None:
        if not isinstance(decision, Over) or job.run is None:
            original(batch, job, decision)
        elif job.run.final:
            overlap.finish(job)
        else:
            tenant_quota.leave([job.run])

    return [(no_start, "leave", leave)]


def older() -> list[Patch]:
    """An older message of a run that is to be tried again comes back until that is over."""
    original = no_start.leave

    def leave(batch: Batch, job: Job, decision: Decision) -> None:
        if isinstance(decision, Over) and job.run is not None and not job.run.final:
            tenant_quota.leave([job.run])
        else:
            original(batch, job, decision)

    return [(no_start, "leave", leave)]


def unextended() -> list[Patch]:
    """A heartbeat extends the lease, and lets the message be shown again."""
    return [(Batch, "keep", lambda *_: None)]


def crowded() -> list[Patch]:
    """A run that finds its key's line full leaves its message as it is."""
    original = key_gate._waits  # noqa: SLF001  # planted in the flow

    def waits(job: Job, limit: Limit) -> Verdict | None:
        said = original(job, limit)
        return Back() if isinstance(said, Later) else said

    return [(key_gate, "_waits", waits)]


def shallow() -> list[Patch]:
    """A machine is looked for among the first few runs of its queue only."""
    original = pull_index.due

    def due(partition: str, ranges: Any, limit: int) -> Any:
        return original(partition, ranges, min(limit, 2))

    return [(pull_index, "due", due)]


def any_lease() -> list[Patch]:
    """A step has its effect, though another worker may have the run by now."""

    def once(self: Any, step: str, effect: Any) -> Any:
        return step_effects.once(self.call.run_id, step, effect)

    return [(cloud_context._Hands, "once", once)]  # noqa: SLF001  # planted in the flow


def unrecognised() -> list[Patch]:
    """A worker does not recognise an end that was written before."""
    return [(settlement, "_recognise", lambda *_: None)]


def another_each_time() -> list[Patch]:
    """A busy run gets a new message each time, in place of its own."""

    def postpone(batch: Batch, ticket: Ticket, tenant_id: str, seconds: int) -> None:
        for message in batch.naming(ticket.run_id):
            single = batch.single(message.pack, ticket, "busy").of_tenant(tenant_id)
            if not queue.send([(single, seconds)]):
                message.owes.discard(ticket.run_id)

    return [(Batch, "postpone", postpone)]


MESSAGES: tuple[Mutant, ...] = (
    Mutant(
        "unrecognised",
        "a message whose run has ended is deleted soon",
        unrecognised,
        ("outside edits", "callbacks deaths", "callbacks bare"),
    ),
    Mutant(
        "another each time",
        "a run's own message comes back by itself",
        another_each_time,
        ("messages", "doubles"),
    ),
    Mutant("kept message", "what is over has no message", kept, ("crashes",)),
    Mutant(
        "older message",
        "an attempt that is over has no message",
        older,
        ("outside quotas", "moved crashes"),
        seed=8,
    ),
    Mutant(
        "unextended", "a message is hidden while its run is worked", unextended, ("gates", "deaths")
    ),
    Mutant("crowded", "a message is left for a reason", crowded, ("full line",)),
    Mutant("shallow", "who waits further down is given, too", shallow, ("pulled deep",)),
    Mutant("any lease", "no step without a lease", any_lease, ("handled stalls bare",)),
)
