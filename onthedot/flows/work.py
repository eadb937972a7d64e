"""Work: what the messages name is loaded, held until due, started, delivered, settled, deleted.

All that is due starts before anything settles, so that one run's end delays no other's start.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from onthedot.adapters import aws, clock, ids, runner
from onthedot.adapters.aws import Watch
from onthedot.core.decide import Hint
from onthedot.core.numbers import HEARTBEAT_SEC
from onthedot.core.policy import Again, error_of
from onthedot.flows import aside, suspects
from onthedot.flows.batch import Batch, received
from onthedot.flows.heartbeat import extend
from onthedot.flows.job import Job, load
from onthedot.flows.settling import settle
from onthedot.flows.starting import start_due

_PATIENCE_MAX_SEC = 1.0
# Less is rounded to nothing by a clock of milliseconds.
_TIME_STEP_SEC = 0.001


def work(event: Mapping[str, Any]) -> dict[str, Any]:
    """Work one invocation's messages; those whose runs are not done with come back."""
    watch = aws.watching()
    batch = received(event)
    _not_before_receipt(watch, batch)
    aside.put_aside(batch)
    batch.shorten()
    batch.split()
    jobs = _jobs(batch)
    if jobs:
        load(jobs)
        clock.correct(watch.skew.offset_never_early_ms)
        jobs = [job for job in jobs if not job.unreadable]
        _shift(batch, jobs, worker=ids.token(12))
    aside.count(batch)
    return batch.failures()


def _not_before_receipt(watch: Watch, batch: Batch) -> None:
    """The queue says when it handed a message out: it cannot be earlier than that by now."""
    latest_ms = max((message.received_ms for message in batch.messages), default=0)
    watch.skew = watch.skew.not_before(latest_ms, aws.local_ms())


def _jobs(batch: Batch) -> list[Job]:
    """One job a run, however many messages name it: two writes of one item reject a batch."""
    jobs: dict[str, Job] = {}
    for message in batch.messages:
        for ticket in message.pack.tickets:
            hint = Hint(
                attempt=ticket.attempt,
                receives=message.receives,
                message_id=message.message_id,
                why=message.pack.why,
            )
            known = jobs.get(ticket.run_id)
            if known is None or known.ticket.attempt < ticket.attempt:
                jobs[ticket.run_id] = Job(
                    ticket=ticket, hint=hint, tenant_id=message.pack.tenant_id
                )
    return list(jobs.values())


def _shift(batch: Batch, waiting: list[Job], *, worker: str) -> None:
    """Start what is due, wait for the next thing to happen, settle what has ended."""
    running: list[Job] = []
    began_ms = clock.now_ms()
    beat = clock.monotonic() + HEARTBEAT_SEC
    patience = 0.0
    while waiting or running:
        if ready := suspects.ready(waiting, running):
            began = clock.monotonic()
            started, again = start_due(batch, ready, worker=worker)
            patience = _let_others_start(began)
            running += started
            waiting = [job for job in waiting if job not in ready] + again
            continue
        _stop_late(running)
        ended = [job for job in running if job.answer or job.part.done()]
        if ended and (now := clock.monotonic()) < patience:
            clock.sleep(max(_TIME_STEP_SEC, min(_until_next(waiting), patience - now)))
            continue
        if ended:
            settle(batch, ended)
            running = [job for job in running if job not in ended]
            continue
        if running and clock.monotonic() >= beat:
            running = extend(batch, running)
            beat = clock.monotonic() + HEARTBEAT_SEC
            continue
        if shut_out := suspects.shut_out(waiting, running, began_ms):
            batch.pass_on([job.ticket for job in shut_out])
            waiting = [job for job in waiting if job not in shut_out]
            continue
        moments = [suspects.moment_ms(job, began_ms) for job in waiting]
        _wait(moments, running, beat)


def _stop_late(running: Sequence[Job]) -> None:
    """A handler that did not stop at its deadline is abandoned: its attempt ends all the same."""
    now_ms = clock.now_ms()
    for job in running:
        if not job.answer and now_ms >= job.abandoned_ms and not job.part.done():
            job.part.cancel()
            job.answer = Again("timed_out", error_of("TimedOut", "the handler took too long"))


def _let_others_start(began: float) -> float:
    """Settle only after twice as long again as the starts took.

    A store that was slow to take them has others to start, and an end can wait.
    """
    now = clock.monotonic()
    return now + min(2 * (now - began), _PATIENCE_MAX_SEC)


def _until_next(waiting: Sequence[Job]) -> float:
    """Seconds until another run is due."""
    now_ms = clock.now_ms()
    moments = [job.wake_ms - now_ms for job in waiting if job.wake_ms > now_ms]
    return min(moments, default=HEARTBEAT_SEC * 1000) / 1000


def _wait(moments: Sequence[int], running: Sequence[Job], beat: float) -> None:
    """Until a run is due, a handler ends or is late, or the leases want extending."""
    now_ms = clock.now_ms()
    seconds = [
        (each - now_ms) / 1000 for each in (*moments, *(job.abandoned_ms for job in running))
    ]
    if running:
        runner.wait([job.part for job in running], min([*seconds, beat - clock.monotonic()]))
    else:
        clock.sleep(max(0.0, min(seconds)))
