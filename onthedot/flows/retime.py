"""After an upgrade of the zones' data: a slot that comes earlier now must not be slept through.

One that comes later needs nothing: dispatch wakes at the old time, finds nothing due, goes on.
"""

from __future__ import annotations

from collections.abc import Iterator

from onthedot.adapters import claims, clock, scanning, tables
from onthedot.core import due as dues
from onthedot.core import zones
from onthedot.core.due import TABLE, Due
from onthedot.core.keys import CURSOR
from onthedot.core.numbers import LOOK_AHEAD_SEC
from onthedot.core.packed import UNREADABLE
from onthedot.core.writes import Outcome

KEY = {"task_id": "meta", "part": "tzdata"}


def retime() -> Iterator[str]:
    """Move cursors back to where the present data has them; the version goes on record last."""
    known = tables.get(TABLE, KEY)
    if known and known["version"] == zones.VERSION:
        return
    # What is due before that may have been claimed, and its claim moves with nothing.
    edge = clock.now_ms() // 1000 + LOOK_AHEAD_SEC
    for item in scanning.items(TABLE):
        if item["part"] != CURSOR or "due_shard" not in item:
            continue
        due = dues.parse(item)
        following = _following(due, edge)
        if following is not None and following < due.next_run_at:
            moved = claims.write_one(dues.advance(due, following, 0))
            if moved is Outcome.DONE:
                yield due.task_id
    tables.put(TABLE, KEY | {"version": zones.VERSION})


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
