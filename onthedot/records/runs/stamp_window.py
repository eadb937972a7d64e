"""Decides which runs an edit stamps before it is acknowledged: those of about a day."""

from __future__ import annotations

from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import LOOK_AHEAD_SEC
from onthedot.schedule.schedule import JITTER_MAX_SEC
from onthedot.schedule.time.instants import nominal

# Seconds. Clocks differ, and a worker may look at a run somewhat later than an edit did.
_EDGE_SEC = 3_600


def window(task: Task, now: int) -> tuple[str, str]:
    """Returns the two keys between which an edit looks for runs that have not started."""
    behind = task.misfire_grace_sec + LOOK_AHEAD_SEC + JITTER_MAX_SEC
    return nominal(max(0, now - behind)), nominal(now + LOOK_AHEAD_SEC + JITTER_MAX_SEC)


def surely_within(key: str, task: Task, now: int) -> bool:
    """Tells whether no edit can miss it. Only backfills, retries, runs put off are older."""
    return key >= window(task, now + _EDGE_SEC)[0]
