"""Decides what becomes of a late slot, by its task's misfire policy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.tasks import pause_ends
from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import LATE_SEC
from onthedot.schedule.blackouts import closing

Ending = tuple[Status, Reason]
# The outcomes of a late slot without a run.
ENDINGS = frozenset(
    {
        (Status.MISSED, Reason.OUTSIDE_GRACE),
        (Status.MISSED, Reason.POLICY_NONE),
        (Status.SKIPPED, Reason.COALESCED),
    }
)


def is_late(due_ms: int, now_ms: int) -> bool:
    """Tells whether a slot that was not taken up is late."""
    return now_ms - due_ms > LATE_SEC * 1000


def grace_of(grace_sec: int) -> int:
    """Returns how long a late slot may still run. Nothing is late before that."""
    return max(grace_sec, LATE_SEC)


def policy_ends(misfire: str, *, newer: bool) -> Ending | None:
    """Returns how a late slot ends without a run, or None if it runs."""
    if misfire == "none":
        return Status.MISSED, Reason.POLICY_NONE
    if misfire == "latest" and newer:
        return Status.SKIPPED, Reason.COALESCED
    return None


def newer_due(task: Task, slot: int, now: int) -> bool:
    """Tells whether a newer slot that may fire is due by now, by the task's schedule.

    It begins with the newest, which is nearly always the answer.
    """
    schedule = task.schedule
    newest = schedule.prev(now + 1)
    while newest is not None and newest > slot:
        due = schedule.due_at(newest)
        if due <= now and due > task.effective_from and _open(task, newest, due):
            return True
        newest = schedule.prev(newest)
    return False


def _open(task: Task, slot: int, due: int) -> bool:
    return not pause_ends.holds(task, due) and not closing(task.closed, slot)


@dataclass(frozen=True, slots=True, kw_only=True)
class Slot:
    """The run of a slot that has not started in time: its due time, and what is known of it."""

    due_ms: int
    # Its grace was checked when it was first found late. Waiting in line does not use it up.
    judged: bool
    # It waits in a line, has a booking, or is in the queue of outside workers.
    taken_up: bool


def ending(task: Task, slot: Slot, now_ms: int, newer: Callable[[], bool]) -> Ending | None:
    """Returns how it ends without a run, or None if it runs, late or not."""
    if slot.taken_up and not slot.judged:
        return None
    past_grace = now_ms - slot.due_ms > grace_of(task.misfire_grace_sec) * 1000
    if past_grace and not slot.judged:
        return Status.MISSED, Reason.OUTSIDE_GRACE
    return policy_ends(task.misfire, newer=task.misfire == "latest" and newer())
