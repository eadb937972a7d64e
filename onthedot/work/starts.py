"""Decides on each run that is due, and starts those that may run in one call."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from onthedot.records.conditional_writes import Outcome
from onthedot.records.runs import run_writes
from onthedot.records.runs.run_status import Status
from onthedot.store import clock
from onthedot.store.conditional_writer import Forgiven
from onthedot.work import late_starts, max_runs_return, no_start, target_call
from onthedot.work.batch import Batch
from onthedot.work.decision_table import Hold, Late, Skip, Start, decide
from onthedot.work.gates import key_gate, overlap, tenant_quota
from onthedot.work.job import Job, load, look_again, put_off
from onthedot.work.outside_handover import hand_over
from onthedot.work.prepared_start import agreed, begin, prepare, still_ready
from onthedot.work.verdicts import Answers, Back, Later, Struck

_ROUNDS_MAX = 6
# Milliseconds in which a start in doubt is repeated. After that its message comes back.
_DOUBT_MAX_MS = 4_000


@dataclass(slots=True)
class _Sorted:
    """The decisions on runs that are due."""

    starting: list[Job] = field(default_factory=list)
    skipping: list[tuple[Job, Skip]] = field(default_factory=list)
    # To be looked at again: they are held, or their rows have changed.
    again: list[Job] = field(default_factory=list)


def start_due(batch: Batch, ready: Sequence[Job], *, worker: str) -> tuple[list[Job], list[Job]]:
    """Returns the jobs that now run, and those to look at again."""
    load([job for job in ready if not job.loaded])
    ready = [job for job in ready if not job.unreadable]
    ours = [job for job in ready if _runs_by(job, worker)]
    due = _sorted(batch, [job for job in ready if job not in ours], worker)
    again = due.again + _skip(batch, due.skipping)
    going = _through_the_gates(batch, due.starting, again, worker)
    started = _start(going, ours, again, worker=worker)
    batch.delete_done()
    return started, [job for job in again if _another_round(job)]


def _sorted(batch: Batch, ready: Sequence[Job], worker: str) -> _Sorted:
    """Decides on each run. Those that do not run are handled at once."""
    due = _Sorted()
    overdue: list[tuple[Job, Late]] = []
    for job in _without_others(batch, ready):
        if still_ready(job):
            due.starting.append(job)
            continue
        decision = decide(job.run, job.task, job.hint, clock.now_ms())
        match decision:
            case Start():
                _to_start(batch, due, job, decision)
            case Late():
                overdue.append((job, decision))
            case Skip():
                due.skipping.append((job, decision))
            case Hold(until_ms, then):
                job.wake_ms = until_ms
                job.loaded = then is not None and job.belongs_here
                if then and job.loaded:
                    job.under = then
                    prepare(job, worker)
                due.again.append(job)
            case _:
                no_start.leave(batch, job, decision)
    if overdue:
        _judge(batch, due, overdue)
    return due


def _to_start(batch: Batch, due: _Sorted, job: Job, start: Start) -> None:
    job.under = start
    if job.belongs_here:
        due.starting.append(job)
    else:
        no_start.leave(batch, job, hand_over(job))


def _judge(batch: Batch, due: _Sorted, overdue: Sequence[tuple[Job, Late]]) -> None:
    """Judges late runs, oldest first: late slots of a task run one at a time, in their order."""
    overdue = sorted(overdue, key=lambda each: each[1].then.due_ms)
    for (_, found), (job, said) in zip(overdue, late_starts.judged(overdue), strict=True):
        match said:
            case Skip():
                due.skipping.append((job, said))
            case None:
                job.judged = True
                _to_start(batch, due, job, found.then)
            case _:
                no_start.leave(batch, job, said)


def _without_others(batch: Batch, ready: Sequence[Job]) -> list[Job]:
    """Removes the runs that are for other workers."""
    elsewhere = [job for job in ready if job.is_for_others(batch.queue)]
    batch.done([job.ticket.run_id for job in elsewhere])
    return [job for job in ready if job not in elsewhere]


def _through_the_gates(batch: Batch, jobs: list[Job], again: list[Job], worker: str) -> list[Job]:
    """Takes places, permits and turns. A run asks only at the gates that apply to it."""
    jobs = sorted(jobs, key=lambda job: job.held.life.due_ms)
    guarded = [job for job in jobs if overlap.guards(job)]
    going = _through(batch, jobs, overlap.enter(guarded) if guarded else [], again)
    keyed = [job for job in going if job.is_keyed]
    going = _through(batch, going, key_gate.enter(keyed) if keyed else [], again)
    bounded = [job for job in going if job.is_bounded]
    permits = tenant_quota.enter(bounded, worker=worker) if bounded else []
    permitted = _through(batch, going, permits, again)
    # A turn comes last, because an unused turn is lost. A permit can be given back.
    keyed = [job for job in permitted if job.is_keyed]
    going = _through(batch, permitted, key_gate.turns(keyed) if keyed else [], again)
    _drop_permits(job for job in permitted if job not in going)
    return going


def _through(batch: Batch, jobs: list[Job], answers: Answers, again: list[Job]) -> list[Job]:
    """Carries out what a gate said of those that asked. Returns the jobs that may go on."""
    if not answers:
        return jobs
    again += _skip(batch, [(job, said) for job, said in answers if isinstance(said, Skip)])
    for job, said in answers:
        match said:
            case Hold(until_ms):
                # Messages come by the second: late ones would leave a part of each unused.
                job.wake_ms, job.loaded = until_ms, False
                again.append(job)
            case Struck() | Back() | Later():
                no_start.leave(batch, job, said)
    turned = {job for job, said in answers if said is not None}
    return [job for job in jobs if job not in turned]


def _drop_permits(jobs: Iterable[Job]) -> None:
    if holding := [job for job in jobs if job.permit]:
        tenant_quota.drop(holding)


def _another_round(job: Job) -> bool:
    """Tells whether to try again. A row that keeps changing is left to the next delivery."""
    if job.wake_ms and job.loaded:
        return True
    if job.doubt_ms:
        return in_time(job)
    job.rounds += 1
    return job.rounds < _ROUNDS_MAX


def in_time(job: Job) -> bool:
    """Tells whether a start in doubt is to be repeated."""
    return clock.now_ms() < job.doubt_ms + _DOUBT_MAX_MS


def _skip(batch: Batch, skipping: Sequence[tuple[Job, Skip]]) -> list[Job]:
    """Writes the outcomes of runs that do not run. Returns those whose rows have changed."""
    if not skipping:
        return []
    now_ms = clock.now_ms()
    writes = [
        run_writes.settle_unstarted(
            job.held, skip.status, skip.reason, now_ms=now_ms, note=skip.note
        )
        for job, skip in skipping
    ]
    outcomes = max_runs_return.settle(
        [(job, skip, write) for (job, skip), write in zip(skipping, writes, strict=True)]
    )
    ended, again = [], []
    for (job, _), outcome in zip(skipping, outcomes, strict=True):
        if outcome is Outcome.DONE:
            ended.append(job)
        else:
            job.loaded = False
            again.append(job)
    put_off(
        job
        for (job, _), outcome in zip(skipping, outcomes, strict=True)
        if outcome is Outcome.UNSURE
    )
    overlap.leave(ended)
    batch.done([job.ticket.run_id for job in ended])
    return again


def _start(
    entered: Sequence[Job], ours: Sequence[Job], again: list[Job], *, worker: str
) -> list[Job]:
    """Starts all in one call. The rows say who has started what."""
    started, doubtful = begin(entered, worker)
    read = _read([job for job, _ in doubtful])
    # After a lost answer the row says that it was us.
    started += [*ours, *(job for job in read if _runs_by(job, worker))]
    others = [(job, outcome) for job, outcome in doubtful if job not in started]
    # Of a row that could not be read nothing is known: its permit may be in use.
    _drop_permits(job for job, _ in others if job in read)
    put_off(job for job, outcome in others if outcome is Outcome.UNSURE or job not in read)
    again += [job for job, _ in others]
    look_again(started)
    going = [job for job in agreed(started) if job.answer or target_call.begin(job)]
    if late := [job for job in going if job.turn]:
        key_gate.begun(late)
    return going


def _read(doubtful: Sequence[Job]) -> Sequence[Job]:
    """Returns the jobs whose rows could be read. A busy store is asked again later."""
    with Forgiven():
        load(doubtful)
        return doubtful
    return ()


def _runs_by(job: Job, worker: str) -> bool:
    life = job.run and job.run.life
    return bool(life and life.status == Status.RUNNING and life.its_attempt.owner == worker)
