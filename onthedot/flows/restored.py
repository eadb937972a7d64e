"""After a restore the tables know less than has happened: nothing of that time may happen again.

Ticks and workers stand still meanwhile. Doing any of it twice is the same as once.
"""

from __future__ import annotations

from collections.abc import Iterator

from onthedot.adapters import clock, scanning, tables
from onthedot.core import run as runs
from onthedot.core.instants import nominal
from onthedot.core.keys import SHARDS
from onthedot.flows import register
from onthedot.flows.cancel import cancel

_WOULD_RUN = frozenset({"claimed", "running", "retrying"})


def end_what_was_open() -> Iterator[str]:
    """Cancel runs that were due by now: what became of them, the restored rows do not know."""
    for item in scanning.items(runs.TABLE):
        run = runs.readable(item)
        if run and run.life.status in _WOULD_RUN and run.life.due_ms <= clock.now_ms():
            cancel(run.run_id)
            yield run.run_id


def start_from_now() -> Iterator[str]:
    """Let every overdue task go on from now; the slots it leaves behind are on record as such.

    A name comes before its pause, so that whoever is interrupted knows what is still paused.
    """
    now = nominal(clock.now_ms() // 1000)
    for shard in range(SHARDS):
        overdue = [item for page in tables.due_pages(shard, ("0", now)) for item in page]
        for item in overdue:
            yield item["task_id"]
            register.pause(item["task_id"])
            register.resume(item["task_id"])
