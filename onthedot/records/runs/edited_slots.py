"""Says what an edit does to runs that have not started: which it stamps, and which it drops."""

from __future__ import annotations

from dataclasses import replace

from onthedot.records.keys import is_slot_key
from onthedot.records.runs.run_row import Claim, Life, Run
from onthedot.records.runs.run_status import Reason
from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import LOOK_AHEAD_SEC
from onthedot.schedule.schedule import JITTER_MAX_SEC
from onthedot.schedule.time.instants import nominal, parse_nominal

# Seconds. Clocks differ, and a worker may look at a run somewhat later than an edit did.
_EDGE_SEC = 3_600


def window(task: Task, now: int) -> tuple[str, str]:
    """Returns the two keys between which an edit looks for runs that have not started."""
    behind = task.misfire_grace_sec + LOOK_AHEAD_SEC + JITTER_MAX_SEC
    return nominal(max(0, now - behind)), nominal(now + LOOK_AHEAD_SEC + JITTER_MAX_SEC)


def surely_within(key: str, task: Task, now: int) -> bool:
    """Tells whether no edit can miss it. Only backfills, retries, runs put off are older."""
    return key >= window(task, now + _EDGE_SEC)[0]


def why_dropped(run: Run, task: Task) -> Reason | None:
    """Returns why a run without an attempt must not start, or None if it may."""
    life = run.life
    if life.dropped:
        return life.dropped
    if life.attempt or not is_slot_key(run.key) or life.schedule_version == task.schedule_version:
        return None
    schedule, slot = task.schedule, parse_nominal(run.key)
    if schedule.end_at is not None and slot > schedule.end_at:
        return Reason.ENDED
    if not schedule.matches(slot) or schedule.due_at(slot) <= task.effective_from:
        return Reason.SUPERSEDED
    return None


def marked(life: Life, reason: Reason, by: str) -> Life:
    """Marks now what the run will become when it is due. Writers that saw it before are refused."""
    return replace(life, dropped=reason, claim=Claim(by=by))
