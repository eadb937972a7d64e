"""Finds the slots that passed during a pause and are to run after all."""

from __future__ import annotations

from itertools import islice, takewhile
from typing import Any

from onthedot.records.problems import Problem
from onthedot.records.tasks import pause_ends
from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import CATCH_UPS_MAX
from onthedot.schedule.time.instants import nominal

SLOTS_MAX = 100


def slots(task: Task, mode: str, now: int) -> list[int]:
    """Returns the slots to run: none, the latest, or all since the pause began."""
    if task.status != "paused" or mode == "none":
        return []
    # Slots due after the pause's own end did not fall into the pause.
    now = min(now, pause_ends.end_of(task) or now)
    since = max(task.paused_at, task.effective_from)
    if mode == "latest":
        latest = task.schedule.prev(now + 1)
        return [] if latest is None or latest <= since else [latest]
    passed = takewhile(lambda slot: slot <= now, task.schedule.slots(since))
    found = list(islice(passed, SLOTS_MAX + 1))
    if len(found) > SLOTS_MAX:
        message = f"More than {SLOTS_MAX} slots passed: resume without catchup, then backfill."
        raise Problem("invalid_request", message)
    return found


def effects(task: Task, found: list[int], following: str | None) -> dict[str, Any]:
    """Says what a resume would do: how many runs, in which order, and until when that holds."""
    will_run = [nominal(slot) for slot in found]
    said = {"action": "resume", "will_run": will_run, "next_run_at": following}
    return said | {"count": len(found), "order": _order(task)} if found else said


def _order(task: Task) -> str:
    at_once = _at_once(task)
    few = "one at a time" if at_once == 1 else f"up to {at_once} at a time"
    return f"oldest first, {few}; misfire_grace_sec does not apply to them"


def _at_once(task: Task) -> int:
    if task.overlap != "allow":
        return 1
    return task.max_concurrent or CATCH_UPS_MAX
