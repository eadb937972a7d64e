"""Moves cursors after an upgrade of the zone data: a slot may come earlier now.

A slot that comes later needs nothing: dispatch looks at the old time and finds nothing due.
"""

from __future__ import annotations

from collections.abc import Iterator

from onthedot.records.conditional_writes import Outcome
from onthedot.records.keys import CURSOR, part_key
from onthedot.records.tasks import task_cursor
from onthedot.records.tasks.task_cursor import TABLE, Due
from onthedot.records.timings import LOOK_AHEAD_SEC
from onthedot.schedule.schedule import UNREADABLE
from onthedot.schedule.time import zones
from onthedot.store import clock, conditional_writer, full_scan, table_reads

KEY = part_key("meta", "tzdata")


def retime() -> Iterator[str]:
    """Moves cursors back to where the new data has them. The version is recorded last."""
    known = table_reads.get(TABLE, KEY)
    if known and known["version"] == zones.VERSION:
        return
    # What is due before that may be claimed, and its claim does not move.
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
    """Returns when the first slot after the edge is due. None if it cannot be planned."""
    try:
        schedule = due.schedule
        slot = schedule.prev(edge + 1)
        if slot is None or schedule.due_at(slot) <= edge:
            slot = schedule.next(edge)
        return None if slot is None else schedule.due_at(slot)
    except UNREADABLE:
        return None
