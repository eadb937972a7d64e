"""Finds slots that were claimed under a former schedule and are not in the present one."""

from __future__ import annotations

from dataclasses import replace

from onthedot.records.keys import is_slot_key
from onthedot.records.runs.run_row import Life, Run
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import parse_nominal


def why_dropped(run: Run, task: Task) -> str | None:
    """Returns why a run without an attempt must not start, or None if it may."""
    life = run.life
    if life.dropped:
        return life.dropped
    if life.attempt or not is_slot_key(run.key) or life.schedule_version == task.schedule_version:
        return None
    schedule, slot = task.schedule, parse_nominal(run.key)
    if schedule.end_at is not None and slot > schedule.end_at:
        return "ended"
    if not schedule.matches(slot) or schedule.due_at(slot) <= task.effective_from:
        return "superseded"
    return None


def marked(life: Life, reason: str, claim_id: str) -> Life:
    """Marks now what the run will become when it is due. Writers that saw it before are refused."""
    return replace(life, dropped=reason, claim_id=claim_id, claim_until=0)
