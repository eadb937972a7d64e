"""After an upgrade of the zones' data: a slot that comes earlier now must not be slept through.

One that comes later needs nothing: dispatch wakes at the old time, finds nothing due, goes on.
"""

from __future__ import annotations

from collections.abc import Iterator

from onthedot.records.conditional_writes import Outcome
from onthedot.records.keys import CURSOR
from onthedot.records.tasks import task_cursor
from onthedot.records.tasks.task_cursor import TABLE, Due
from onthedot.records.timings import LOOK_AHEAD_SEC
from onthedot.schedule.packed_schedule import UNREADABLE
from onthedot.schedule.time import zones
from onthedot.store import clock, conditional_writer, full_scan, table_reads

KEY = {"task_id": "meta", "part": "tzdata"}


def retime() -> Iterator[str]:
    """Move cursors back to where the present data has them; the version goes on record last."""
    known = table_reads.get(TABLE, KEY)
    if known and known["version"] == zones.VERSION:
        return
    # What is due before that may have been claimed, and its claim moves with nothing.
    edge = clock.now_ms() // 1000 + LOOK_AHEAD_SEC
    for item in full_scan.items(TABLE):
        if item["part"] != CURSOR or "due_shard" not in item:
            continue
        due = task_cursor.parse(item)
        following = _following(due, edge)
        if following is not None and following < due.next_run_at:
            moved = conditional_writer.write_one(task_cursor.advance(due, following, 0))
            if moved is Outcome.DONE:
                yield due.task_id
    table_reads.put(TABLE, KEY | {"version": zones.VERSION})


def _following(due: Due, edge: int) -> int | None:
    """When the first slot after the edge is due; what nobody can plan, dispatch sets aside."""
    try:
        schedule = due.schedule
        slot = schedule.prev(edge + 1)
        if slot is None or schedule.due_at(slot) <= edge:
            slot = schedule.next(edge)
        return None if slot is None else schedule.due_at(slot)
    except UNREADABLE:
        return None
