"""Starting: each run that is due is decided on, and those that may run start in one call."""

from __future__ import annotations

from collections.abc import Sequence

from onthedot.adapters import claims, clock, queue
from onthedot.core import moves
from onthedot.core.decide import (
    Await,
    Busy,
    Decision,
    Defer,
    Hold,
    Over,
    Skip,
    Start,
    decide,
    needs_cover_check,
)
from onthedot.core.writes import Outcome
from onthedot.flows import aside, awaiting, deliver, executions, gate, gates, keyed, permits
from onthedot.flows.batch import Batch
from onthedot.flows.handing import belongs_here, fetched, hand_over
from onthedot.flows.job import Job, load, look_again
from onthedot.flows.ranges import covering
from onthedot.flows.ready import begin, prepare, still_ready

_ROUNDS_MAX = 6


def start_due(batch: Batch, ready: Sequence[Job], *, worker: str) -> tuple[list[Job], list[Job]]:
    """Give the jobs that now run, and those to be looked at again."""
    load([job for job in ready if not job.loaded])
    starting: list[Job] = []
    skipping: list[tuple[Job, Skip]] = []
    again: list[Job] = []
    for job in _without_fetched(batch, ready):
        if still_ready(job):
            starting.append(job)
            continue
        decision = decide(job.run, job.task, job.hint, clock.now_ms())
        match decision:
            case Start():
                job.under = decision
                covered = _covered(job)
                if covered:
                    skipping.append((job, covered))
                elif not belongs_here(job):
                    hand_over(batch, job)
                else:
                    starting.append(job)
            case Skip():
                skipping.append((job, decision))
            case Hold(until_ms, then):
                job.wake_ms = until_ms
                job.loaded = then is not None and belongs_here(job)
                if then and job.loaded:
                    job.under = then
                    prepare(job, worker)
                again.append(job)
            case _:
                _leave(batch, job, decision)
    again += _skip(batch, skipping)
    passed = gates.enter(batch, starting)
    again += _skip(batch, passed.turned)
    going = _permitted(batch, keyed.enter(batch, passed.entered), worker=worker)
    started = _start(going, again, worker=worker)
    batch.delete_done()
    return started, [job for job in again if _another_round(job)]


def _without_fetched(batch: Batch, ready: Sequence[Job]) -> list[Job]:
    """Strike off what no message is to start."""
    elsewhere = [job for job in ready if fetched(batch, job)]
    batch.done([job.ticket.run_id for job in elsewhere])
    return [job for job in ready if job not in elsewhere]


def _permitted(batch: Batch, placed: Sequence[Job], *, worker: str) -> list[Job]:
    """A turn comes last, for one that is not used is lost; a permit can be given back."""
    permitted = permits.enter(batch, placed, worker=worker)
    going = keyed.turns(batch, permitted)
    permits.drop([job for job in permitted if job not in going])
    return going


def _covered(job: Job) -> Skip | None:
    """A slot that is claimed by a stalled dispatcher may have its outcome in a range by now."""
    if not needs_cover_check(job.held, clock.now_ms()):
        return None
    spanned = covering(job.held)
    return Skip(spanned.life.status, spanned.life.reason) if spanned else None


def _another_round(job: Job) -> bool:
    """A row that keeps changing under our hands is left to the message's next delivery."""
    if job.wake_ms and job.loaded:
        return True
    job.rounds += 1
    return job.rounds < _ROUNDS_MAX


def _leave(batch: Batch, job: Job, decision: Decision) -> None:
    """Nothing to run: it is over, another's, or not due for a while."""
    match decision:
        case Over():
            # A retrying run, whose older message this is, keeps its place until it is final.
            if job.run is not None and job.run.final:
                gate.finish(job)
                if not executions.stopped(job.run):
                    return
            elif job.run is not None:
                permits.leave([job.run])
            else:
                aside.without_row(batch, [job.ticket.run_id])
            batch.done([job.ticket.run_id])
        case Busy(seconds):
            _come_back(batch, job, seconds)
        case Defer(seconds):
            _defer(batch, job, seconds)
        case Await():
            awaiting.look(batch, job)


def _come_back(batch: Batch, job: Job, seconds: int) -> None:
    """A message of its own comes back later; a pack's run gets one of its own for that."""
    for message in batch.naming(job.ticket.run_id):
        if len(message.pack.tickets) == 1:
            queue.change_visibility(batch.url, [(message.receipt, seconds)])
        else:
            single = batch.single(message.pack, job.ticket, "busy").of_tenant(job.tenant_id)
            if not queue.send([(single, seconds)]):
                message.owes.discard(job.ticket.run_id)


def _defer(batch: Batch, job: Job, seconds: int) -> None:
    """L2: the old message goes only when SQS has taken the new one."""
    for message in batch.naming(job.ticket.run_id)[:1]:
        fresh = batch.single(message.pack, job.ticket, "hop", job.held.life.due_ms)
        if not queue.send([(fresh.of_tenant(job.tenant_id), seconds)]):
            batch.done([job.ticket.run_id])


def _skip(batch: Batch, skipping: Sequence[tuple[Job, Skip]]) -> list[Job]:
    """Write the outcomes of what does not run; a row that changed meanwhile is asked again."""
    if not skipping:
        return []
    now_ms = clock.now_ms()
    outcomes = claims.write_many(
        [
            moves.settle_unstarted(
                job.held, skip.status, skip.reason, now_ms=now_ms, note=skip.note
            )
            for job, skip in skipping
        ]
    )
    ended, again = [], []
    for (job, _), outcome in zip(skipping, outcomes, strict=True):
        if outcome is Outcome.DONE:
            ended.append(job)
        else:
            job.loaded = False
            again.append(job)
    gates.leave(ended)
    batch.done([job.ticket.run_id for job in ended])
    return again


def _start(entered: Sequence[Job], again: list[Job], *, worker: str) -> list[Job]:
    """Start all in one call; the row says who has started what."""
    started, doubtful = begin(entered, worker)
    load(doubtful)
    ours = [job for job in doubtful if _runs_by(job, worker)]
    # A lost answer: the row says that it was us.
    started += ours
    others = [job for job in doubtful if job not in ours]
    permits.drop(others)
    again += others
    look_again(started)
    return [job for job in started if job.answer or deliver.begin(job)]


def _runs_by(job: Job, worker: str) -> bool:
    return bool(job.run) and job.held.life.status == "running" and job.held.life.owner == worker
