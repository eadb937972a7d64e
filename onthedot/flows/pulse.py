"""The scheduler's last signs of life: two small reads, made again after some seconds at most."""

from __future__ import annotations

from onthedot.adapters import clock, tables
from onthedot.core import backlog, pulse, run, tally
from onthedot.core.pulse import Pulse

# Anybody may ask how it is, and must not spend our reads by it.
_REMEMBERED_MS = 5_000
_remembered: list[tuple[int, Pulse]] = []


def recent() -> Pulse:
    """Give what was found some seconds ago, or look."""
    now_ms = clock.now_ms()
    if _remembered and 0 <= now_ms - _remembered[0][0] < _REMEMBERED_MS:
        return _remembered[0][1]
    of_tick = tables.get(run.TABLE, backlog.KEY)
    minutes = tables.rows(
        ("task_id", tally.MINUTES),
        "scheduled_for",
        ("0", "~"),
        newest_first=True,
        page=1,
        consistent=False,
    )
    found = pulse.read(of_tick, next(minutes, None))
    _remembered[:] = [(now_ms, found)]
    return found


def forget() -> None:
    """Look again from now on."""
    _remembered.clear()
