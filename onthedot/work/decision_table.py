"""What a worker does with a run: one table, the first line that matches wins.

It decides by the row and by the task as both are when the run is due; the message is a hint.
"""

from __future__ import annotations

from dataclasses import dataclass

from onthedot.records.keys import is_slot_key
from onthedot.records.runs.dropped_slots import why_dropped
from onthedot.records.runs.run_row import Life, Run
from onthedot.records.tasks import misfire, pause_ends
from onthedot.records.tasks.task_spec import ENDED, Task
from onthedot.records.timings import BUSY_MAX_SEC, HOLD_MAX_SEC, MARGIN_SEC
from onthedot.schedule.blackouts import closing
from onthedot.schedule.time.instants import parse_nominal


@dataclass(frozen=True, slots=True)
class Over:
    """Nothing is left to do but to finish and delete; a row that is missing alarms."""


@dataclass(frozen=True, slots=True)
class Busy:
    """Somebody holds a live lease: look again so many seconds from now."""

    again_sec: int


@dataclass(frozen=True, slots=True)
class Skip:
    """It does not run, and this is why."""

    status: str
    reason: str
    note: str = ""


@dataclass(frozen=True, slots=True)
class Defer:
    """Not due for a while: a fresh message, so many seconds late."""

    delay_sec: int


@dataclass(frozen=True, slots=True)
class Start:
    """Start the next attempt; under a newer schedule at that schedule's own due time."""

    due_ms: int
    schedule_version: int


@dataclass(frozen=True, slots=True)
class Late:
    """A slot due long ago that has not started: what it stood in line for decides, or misfire."""

    then: Start


@dataclass(frozen=True, slots=True)
class Hold:
    """Due within seconds: wait for it. Of what was decided for then, only a start holds."""

    until_ms: int
    then: Start | None = None


@dataclass(frozen=True, slots=True)
class Await:
    """Its target has taken the work on: see whether it has answered, or will not any more."""


Decision = Over | Busy | Skip | Defer | Hold | Start | Late | Await


@dataclass(frozen=True, slots=True, kw_only=True)
class Hint:
    """What the message adds: the attempt it is to start, how often it came, its id, and why."""

    attempt: int
    receives: int
    message_id: str
    why: str = ""


def decide(run: Run | None, task: Task | None, hint: Hint, now_ms: int) -> Decision:
    """Lines 1 to 5 hold at any time; the others are asked as of the due time."""
    if run is None:
        return Over()
    if run.final:
        return Over()
    life = run.life
    if life.status == "running" and now_ms <= life.lease_ms + MARGIN_SEC * 1000:
        return _busy(run, hint, now_ms)
    if life.status == "awaiting" and task is not None:
        return _awaiting(life, hint, now_ms)
    if run.cancel_ms:
        return Skip("cancelled", "previous" if run.cancel_by == "previous" else "user")
    if task is None or task.status in ENDED:
        return Skip("cancelled", ENDED[task.status] if task else "task_deleted")
    if life.status != "running":
        ahead_ms = life.due_ms - now_ms
        if ahead_ms > HOLD_MAX_SEC * 1000:
            return Defer(min(BUSY_MAX_SEC, ahead_ms // 1000 - 1))
        if ahead_ms > 0:
            then = _when_due(run, task, hint, life.due_ms)
            return Hold(life.due_ms, then if isinstance(then, Start) else None)
    return _when_due(run, task, hint, now_ms)


def _busy(run: Run, hint: Hint, now_ms: int) -> Busy:
    """The holder's own message comes back when the lease ends; others stay out of the way.

    A pack that came back was split: its runs' own messages are new ones, seen for the first time.
    """
    own = run.life.msg == hint.message_id or hint.receives == 1
    if own or hint.attempt > run.life.attempt:
        return Busy(max(1, (run.life.lease_ms - now_ms) // 1000 + MARGIN_SEC + 1))
    return Busy(min(BUSY_MAX_SEC, 60 * 2 ** min(hint.receives - 1, 4)))


def _awaiting(life: Life, hint: Hint, now_ms: int) -> Busy | Await:
    """The next attempt's message may be here before the answer that calls for it is written."""
    if hint.attempt > life.attempt and now_ms <= life.lease_ms:
        return Busy(min(BUSY_MAX_SEC, (MARGIN_SEC + 1) * 2 ** min(hint.receives - 1, 8)))
    return Await()


def _when_due(run: Run, task: Task, hint: Hint, now_ms: int) -> Decision:
    life = run.life
    starting = Start(life.due_ms, life.schedule_version)
    if not life.attempt and is_slot_key(run.key):
        if pause_ends.holds(task, life.due_ms // 1000):
            return Skip("skipped", "paused")
        if calendar := closing(task.closed, parse_nominal(run.key)):
            return Skip("skipped", "calendar", calendar)
        if reason := why_dropped(run, task):
            return Skip("skipped", reason)
        if life.schedule_version != task.schedule_version:
            due_at = task.schedule.due_at(parse_nominal(run.key))
            starting = Start(due_at * 1000, task.schedule_version)
        if misfire.is_late(starting.due_ms, now_ms):
            return Late(starting)
    if life.status == "running" and life.attempt - life.released >= task.max_attempts:
        return Skip("dead", "attempts_exhausted")
    if life.status == "retrying" and hint.attempt <= life.attempt:
        return Over()
    return _not_before(starting, now_ms)


def _not_before(starting: Start, now_ms: int) -> Decision:
    """A newer schedule may have the slot's run later: nobody waits for that with a lease."""
    ahead_ms = starting.due_ms - now_ms
    if ahead_ms > HOLD_MAX_SEC * 1000:
        return Defer(min(BUSY_MAX_SEC, ahead_ms // 1000 - 1))
    if ahead_ms > 0:
        return Hold(starting.due_ms)
    return starting


def suspect(run: Run | None, now_ms: int) -> bool:
    """A run whose worker was lost may be what killed it: nothing is to run beside it again."""
    if run is None or run.final:
        return False
    if run.life.status == "running":
        return now_ms > run.life.lease_ms
    return was_lost(run)


def was_lost(run: Run | None) -> bool:
    """Tell whether a worker has been lost over it."""
    return run is not None and any(each["outcome"] == "lost" for each in run.life.attempts)
