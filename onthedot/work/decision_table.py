"""Decides what a worker does with a run: one table, the first line that matches wins.

Row and task decide, as they are when the run is due. The message is only a hint.
"""

from __future__ import annotations

from dataclasses import dataclass

from onthedot.records.keys import is_slot_key
from onthedot.records.runs.edited_slots import why_dropped
from onthedot.records.runs.run_row import Life, Run
from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.tasks import misfire, pause_ends
from onthedot.records.tasks.task_spec import ENDED, Task
from onthedot.records.timings import BUSY_MAX_SEC, HOLD_MAX_SEC, MARGIN_SEC
from onthedot.schedule.blackouts import closing
from onthedot.schedule.time.instants import parse_nominal


@dataclass(frozen=True, slots=True)
class Over:
    """Nothing is left to do: finish and delete the message. A missing row raises an alarm."""


@dataclass(frozen=True, slots=True)
class Busy:
    """Another worker has a live lease: look again after these seconds."""

    again_sec: int


@dataclass(frozen=True, slots=True)
class Skip:
    """The run does not run, for this reason."""

    status: Status
    reason: Reason
    note: str = ""


@dataclass(frozen=True, slots=True)
class Defer:
    """It is not due for a while: send a new message with this delay."""

    delay_sec: int


@dataclass(frozen=True, slots=True)
class Start:
    """Its next attempt starts. Under a newer schedule its due time is that schedule's."""

    due_ms: int
    schedule_version: int


@dataclass(frozen=True, slots=True)
class Late:
    """A slot that is late and has not started. The line that it waited in decides, or misfire."""

    then: Start


@dataclass(frozen=True, slots=True)
class Hold:
    """It is due within seconds: wait. Of what was decided for then, only a start counts."""

    until_ms: int
    then: Start | None = None


@dataclass(frozen=True, slots=True)
class Await:
    """Its target took the work on: see whether it has answered, or never will."""


Decision = Over | Busy | Skip | Defer | Hold | Start | Late | Await


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """What the message adds: the attempt to start, its receives, its id, and its kind."""

    attempt: int
    receives: int
    message_id: str
    why: str = ""


def decide(run: Run | None, task: Task | None, hint: Hint, now_ms: int) -> Decision:
    """Decides about a run. Lines 1 to 5 apply at any time, the others as of the due time."""
    if run is None:
        return Over()
    if run.final:
        return Over()
    life = run.life
    if life.status == Status.RUNNING and now_ms <= life.lease_ms + MARGIN_SEC * 1000:
        return _busy(run, hint, now_ms)
    if life.status == Status.AWAITING and task is not None:
        return _awaiting(life, hint, now_ms)
    if run.cancel_ms:
        return Skip(
            Status.CANCELLED, Reason.PREVIOUS if run.cancel_by == "previous" else Reason.USER
        )
    if task is None or task.status in ENDED:
        return Skip(Status.CANCELLED, ENDED[task.status] if task else Reason.TASK_DELETED)
    if life.status != Status.RUNNING:
        ahead_ms = life.due_ms - now_ms
        if ahead_ms > HOLD_MAX_SEC * 1000:
            return Defer(min(BUSY_MAX_SEC, ahead_ms // 1000 - 1))
        if ahead_ms > 0:
            then = _when_due(run, task, hint, life.due_ms)
            return Hold(life.due_ms, then if isinstance(then, Start) else None)
    return _when_due(run, task, hint, now_ms)


def _busy(run: Run, hint: Hint, now_ms: int) -> Busy:
    """Lets the holder's message come back when the lease ends, and others later.

    A pack that came back was split: its runs then have new messages, received for the first time.
    """
    attempt = run.life.its_attempt
    own = attempt.msg == hint.message_id or hint.receives == 1
    if own or hint.attempt > attempt.number:
        return Busy(max(1, (attempt.lease_ms - now_ms) // 1000 + MARGIN_SEC + 1))
    return Busy(min(BUSY_MAX_SEC, 60 * 2 ** min(hint.receives - 1, 4)))


def _awaiting(life: Life, hint: Hint, now_ms: int) -> Busy | Await:
    """Waits if the next attempt's message is here before the answer that calls for it."""
    if hint.attempt > life.starts and now_ms <= life.lease_ms:
        return Busy(min(BUSY_MAX_SEC, (MARGIN_SEC + 1) * 2 ** min(hint.receives - 1, 8)))
    return Await()


def _when_due(run: Run, task: Task, hint: Hint, now_ms: int) -> Decision:
    life = run.life
    starting = Start(life.due_ms, life.schedule_version)
    if not life.attempt and is_slot_key(run.key):
        if task.status == "paused" and pause_ends.holds(task, life.due_ms // 1000):
            return Skip(Status.SKIPPED, Reason.PAUSED)
        if task.blackouts and (calendar := closing(task.closed, parse_nominal(run.key))):
            return Skip(Status.SKIPPED, Reason.CALENDAR, calendar)
        if reason := why_dropped(run, task):
            return Skip(Status.SKIPPED, reason)
        if life.schedule_version != task.schedule_version:
            due_at = task.schedule.due_at(parse_nominal(run.key))
            starting = Start(due_at * 1000, task.schedule_version)
        if misfire.is_late(starting.due_ms, now_ms):
            return Late(starting)
    if life.status == Status.RUNNING and life.starts - life.released >= task.max_attempts:
        return Skip(Status.DEAD, Reason.ATTEMPTS_EXHAUSTED)
    if life.status == Status.RETRYING and hint.attempt <= life.starts:
        return Over()
    return _not_before(starting, now_ms)


def _not_before(starting: Start, now_ms: int) -> Decision:
    """Waits for a newer schedule's due time, which may be later, without a lease."""
    ahead_ms = starting.due_ms - now_ms
    if ahead_ms > HOLD_MAX_SEC * 1000:
        return Defer(min(BUSY_MAX_SEC, ahead_ms // 1000 - 1))
    if ahead_ms > 0:
        return Hold(starting.due_ms)
    return starting


def suspect(run: Run | None, now_ms: int) -> bool:
    """Tells whether a run may have killed its worker. Then nothing runs beside it again."""
    if run is None or run.final:
        return False
    if run.life.status == Status.RUNNING:
        return now_ms > run.life.lease_ms
    return was_lost(run)


def was_lost(run: Run | None) -> bool:
    """Tells whether a worker was lost while it ran."""
    return run is not None and any(each["outcome"] == "lost" for each in run.life.attempts)
