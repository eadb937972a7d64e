"""Receives more messages for a worker with slow runs, so that they delay no other runs.

An invocation lasts as long as its slowest run, and each queue has a limited number of them.
"""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import partial
from typing import Any

from onthedot.records.keys import is_slot_key
from onthedot.records.runs import run_writes
from onthedot.records.runs.message_pack import RUNS_MAX, Ticket
from onthedot.records.runs.run_row import LANE, Run
from onthedot.records.runs.run_status import Status
from onthedot.records.tasks.misfire import is_late
from onthedot.records.timings import LEASE_SEC
from onthedot.store import aws, clock, conditional_writer, ids, queue
from onthedot.store.conditional_writer import Forgiven
from onthedot.work import handler_pool
from onthedot.work.batch import Batch, Received, received_later
from onthedot.work.decision_table import was_lost
from onthedot.work.job import Job, load

# Runs. Each has one of 256 threads, and one message may bring 25 more.
RUNS = 200
# The other half is for other tenants.
OF_TENANT = RUNS // 2
# Python handlers share the worker's processor with all others.
_HANDLER = 10
# Seconds. A worker whose runs are all shorter is left to its queue's poller.
SLOW_SEC = 1.0
# Seconds, the longest timeout. Every run must end before the invocation has this age.
LAST_SEC = 840
# Seconds at which an invocation takes no more, different for each, so that never all close at once.
_CLOSES_SEC = (60, 540)
_MESSAGES = 10
_PUT_OFF_SEC = (5, 60)


def closes_sec(fraction: float) -> float:
    """Returns a random age at which an invocation takes no more."""
    first, last = _CLOSES_SEC
    return first + fraction * (last - first)


def weight(target: Mapping[str, Any]) -> int:
    """Returns how many other runs a run of such a target counts for."""
    return _HANDLER if target.get("type") == "python" else 1


def messages(in_hand: int) -> int:
    """Returns how many messages there is room for, if each is a full pack."""
    return max(0, min(_MESSAGES, (RUNS - in_hand) // RUNS_MAX))


def fits(age_sec: float, timeout_sec: int) -> bool:
    """Tells whether a run that begins at this age ends before the invocation must."""
    return age_sec + timeout_sec <= LAST_SEC


def put_off_sec(due_ms: int, now_ms: int) -> int:
    """Returns the delay: the longer a run has waited, the more rarely it looks."""
    least, most = _PUT_OFF_SEC
    return min(most, max(least, (now_ms - due_ms) // 2000))


_log = logging.getLogger(__name__)
# Seconds. It takes only what is left: the poller's receives wait for messages, these do not.
_WAIT_SEC = 0
# Seconds between two receives, if a receive brought no more than it asked for.
_PACE_SEC = 1.0
# Milliseconds for which a run that was put off is assumed to have its message.
_TRUSTED_MS = 600_000
# Seconds. The runs under way need attention, too.
_LOAD_MAX_SEC = 1.0


@dataclass(slots=True, kw_only=True)
class Refill:
    """What one invocation asks of its queue besides what the poller brought."""

    batch: Batch
    began: float = field(init=False)
    closes: float = field(init=False)
    # Whether it has received any: then other runs look for a place, too.
    used: bool = False
    # The receive under way, and when the next may begin.
    asked: Any = None
    _most: int = 0
    _next: float = 0.0

    def __post_init__(self) -> None:
        self.began = clock.monotonic()
        self.closes = self.began + closes_sec(ids.fraction())

    @property
    def answered(self) -> bool:
        """Tells whether the receive is over."""
        return self.asked is not None and bool(self.asked.done())

    def moment_ms(self, running: Sequence[Job]) -> int | None:
        """Returns when the next receive begins. None: not with these runs."""
        now, now_ms = clock.monotonic(), clock.now_ms()
        busy = [job for job in running if not job.ended]
        if self.asked is not None or not busy or any(was_lost(job.run) for job in running):
            return None
        slow_ms = min(job.held.life.its_attempt.started_ms for job in busy) + int(SLOW_SEC * 1000)
        moment = max(self._next, now + (slow_ms - now_ms) / 1000)
        return None if moment >= self.closes else now_ms + int((moment - now) * 1000)

    def ask(self, waiting: Sequence[Job], running: Sequence[Job]) -> None:
        """Begins a receive beside the loop, if runs take long and there is room."""
        moment_ms = self.moment_ms(running)
        self._most = messages(sum(map(_weight, [*waiting, *running])))
        if moment_ms is not None and moment_ms <= clock.now_ms():
            self._next = clock.monotonic() + _PACE_SEC
            if self._most:
                self.asked = handler_pool.submit(partial(_receive, self.batch.queue, self._most))

    def taken(self, in_hand: Sequence[Job]) -> list[Job]:
        """Returns the received jobs that are to be worked here."""
        records, self.asked = self.asked.result(), None
        if records is None:
            self.closes = 0.0
        if not records:
            return []
        if len(records) == self._most:
            self._next = 0.0
        self.used = True
        fresh = received_later(self.batch.queue, records)
        try:
            return self._admitted(fresh, in_hand)
        finally:
            self.batch.put_aside += fresh.put_aside

    def _admitted(self, fresh: Batch, in_hand: Sequence[Job]) -> list[Job]:
        """Returns the jobs for this worker. The others go on in a new message or come back."""
        with Forgiven():
            fresh.drop_foreign()
            fresh.split()
            known = {job.ticket.run_id for job in in_hand}
            twice = [each for each in _tickets(fresh.messages) if each.run_id in known]
            fresh.send_on(twice, LEASE_SEC)
            jobs = fresh.jobs(ids.token(12))
            until = clock.monotonic() + _LOAD_MAX_SEC
            conditional_writer.call(lambda: load(jobs), lambda: clock.monotonic() > until)
            self._put_off(fresh, self._beyond(fresh, jobs, in_hand), jobs)
            left = {each.run_id for each in _tickets(fresh.messages)}
            self.batch.messages += fresh.messages
            return [job for job in jobs if job.ticket.run_id in left and not job.unreadable]
        return []

    def _beyond(self, fresh: Batch, jobs: Sequence[Job], in_hand: Sequence[Job]) -> list[Ticket]:
        """Returns runs whose tenant has its share, and runs that would outlive the invocation.

        A slot that is late already is judged here, whatever share its tenant has.
        """
        age_sec = clock.monotonic() - self.began
        taken: Counter[str] = Counter()
        for job in in_hand:
            taken[job.tenant_id] += _weight(job)
        weights = {job.ticket.run_id: _weight(job) for job in jobs}
        now_ms = clock.now_ms()
        overdue = {job.ticket.run_id for job in jobs if job.run and _is_overdue(job.run, now_ms)}
        beyond: list[Ticket] = []
        for message in fresh.messages:
            tickets = [each for each in message.pack.tickets if each.run_id in message.owes]
            if taken[message.pack.tenant_id] >= OF_TENANT:
                # Most of these end without a call, and would only come back.
                beyond += [each for each in tickets if each.run_id not in overdue]
            else:
                taken[message.pack.tenant_id] += sum(weights[each.run_id] for each in tickets)
        late = [job.ticket for job in jobs if job.task and not _fits(job, age_sec)]
        return [*beyond, *(each for each in late if each not in beyond)]

    def _put_off(self, fresh: Batch, beyond: Sequence[Ticket], jobs: Sequence[Job]) -> None:
        """Records on the row that it waits, once: such a run is not late by its own fault."""
        if not beyond:
            return
        now_ms = clock.now_ms()
        named = {ticket.run_id for ticket in beyond}
        turned = [job.run for job in jobs if job.run and job.ticket.run_id in named]
        lined = [run for run in turned if _to_mark(run, now_ms)]
        conditional_writer.write_many(
            [run_writes.mark(run, replace(run.life, waited=LANE), now_ms=now_ms) for run in lined]
        )
        again = {run.run_id for run in turned if _stands_already(run, now_ms)}
        fresh.forget("resend", again)
        oldest_ms = min((run.life.due_ms for run in turned), default=now_ms)
        fresh.send_on(beyond, put_off_sec(oldest_ms, now_ms))


def _receive(name: str, most: int) -> list[dict[str, Any]] | None:
    """Receives what is there. A busy queue counts as empty; a queue that refuses is left alone."""
    try:
        return queue.receive(name, most, visible_sec=LEASE_SEC, wait_sec=_WAIT_SEC)
    except aws.FAILURES as failure:
        if aws.passes(failure):
            return []
        _log.exception("no more messages could be received")
        return None


def _weight(job: Job) -> int:
    return weight(job.task.target) if job.task else 1


def _fits(job: Job, age_sec: float) -> bool:
    return job.task is None or fits(age_sec, job.task.timeout_sec)


def _to_mark(run: Run, now_ms: int) -> bool:
    """Tells whether its row must say that it waits. Misfire decides about slots that are late."""
    life = run.life
    stands = life.status == Status.CLAIMED and life.due_ms <= now_ms and not life.waited
    return stands and not _is_overdue(run, now_ms)


def _is_overdue(run: Run, now_ms: int) -> bool:
    """Tells whether misfire decides on it: a slot that is late, and stands in no line."""
    life = run.life
    unfound = life.status == Status.CLAIMED and is_slot_key(run.key) and not life.waited
    return unfound and is_late(life.due_ms, now_ms)


def _stands_already(run: Run, now_ms: int) -> bool:
    """Tells whether the audit only repeats a message that is on its way. Later it may be lost."""
    return run.life.waited == LANE and now_ms < run.life.due_ms + _TRUSTED_MS


def _tickets(messages: Sequence[Received]) -> list[Ticket]:
    return [
        ticket
        for message in messages
        for ticket in message.pack.tickets
        if ticket.run_id in message.owes
    ]
