"""Reads the scheduler's last signs of life with two small reads, cached for some seconds."""

from __future__ import annotations

from onthedot.dispatch import due_tasks
from onthedot.records.runs import run_row
from onthedot.store import clock, table_reads
from onthedot.upkeep import minute_tally, pulse
from onthedot.upkeep.pulse import Pulse

# Milliseconds. Anybody may ask, and must not cost us reads.
_REMEMBERED_MS = 5_000
_remembered: list[tuple[int, Pulse]] = []


def recent() -> Pulse:
    """Returns the signs of some seconds ago, or reads them."""
    now_ms = clock.now_ms()
    if _remembered and 0 <= now_ms - _remembered[0][0] < _REMEMBERED_MS:
        return _remembered[0][1]
    of_tick = table_reads.get(run_row.TABLE, due_tasks.KEY)
    minutes = table_reads.rows(
        ("task_id", minute_tally.MINUTES),
        "scheduled_for",
        ("0", "~"),
        newest_first=True,
        page=1,
        consistent=False,
    )
    found = pulse.read(of_tick, next(minutes, None))
    _remembered[:] = [(now_ms, found)]
    return found
