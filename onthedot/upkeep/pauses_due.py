"""Ends pauses: each minute waits for those that end in it, and ends each at its second.

Every edit of a task first writes the end of its pause. So an end is never missed, only late.
"""

from __future__ import annotations

from onthedot.records.access import audit_trail
from onthedot.records.keys import key_of
from onthedot.records.tasks import pause_ends
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import lifecycle
from onthedot.registry.edit import edit
from onthedot.schedule.schedule import UNREADABLE
from onthedot.schedule.time.instants import nominal
from onthedot.store import clock, conditional_writer, table_reads
from onthedot.store.tasks import read
from onthedot.upkeep.events import cloud_event, notifications
from onthedot.upkeep.separate_steps import Apart

# Seconds until the next minute's audit, and some more: no minute begins on time.
AHEAD_SEC = 70
_REASON = "the pause ended"


def end_those_due() -> None:
    """Ends each pause at its second. A pause that a user has ended or moved is only forgotten."""
    over = nominal(clock.now_ms() // 1000 + AHEAD_SEC)
    apart = Apart()
    for item in list(
        table_reads.rows(("task_id", pause_ends.OPEN), "scheduled_for", ("0", f"{over}~"))
    ):
        with apart.each(f"ending the pause of {item['of']}"):
            _see_to(item)
    apart.end()


def _see_to(item: table_reads.Item) -> None:
    """Ends a listed pause, if there still is one. The line is deleted last."""
    end = pause_ends.listed_end(item)
    try:
        known = read(item["of"])
    except UNREADABLE:
        # An edit may still repair it, or the release that wrote it may come back.
        return
    if known and _ends_at(known.task, end):
        _wait_until(end - 1)
        _end(item["of"], end)
    table_reads.delete(pause_ends.TABLE, key_of(item))


def _ends_at(task: Task, end: int) -> bool:
    return pause_ends.end_of(task) == end or pause_ends.ended_at(task, end)


def _wait_until(instant: int) -> None:
    while (left_ms := instant * 1000 - clock.now_ms()) > 0:
        clock.sleep(left_ms / 1000)


def _end(task_id: str, end: int) -> None:
    """Edits nothing else. It also finishes what a process left when it died."""
    done = edit(task_id, lifecycle.unchanged)
    if done is not None and pause_ends.ended_at(done.task, end):
        tell("resumed", done.task, _REASON, end * 1000)


def tell(what: str, task: Task, reason: str, at_ms: int) -> None:
    """Tells of what the system did to a schedule, by an event and on the audit trail."""
    notifications.keep([cloud_event.of_task(what, task, reason, at_ms)])
    conditional_writer.write_one(audit_trail.by_itself(task, f"schedule.{what}", reason, at_ms))
