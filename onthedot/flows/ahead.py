"""What was claimed and counted ahead of an edit that sets the cursor back."""

from __future__ import annotations

from onthedot.adapters import tables
from onthedot.core import run as runs
from onthedot.core.instants import nominal
from onthedot.core.keys import is_slot_key
from onthedot.core.numbers import LOOK_AHEAD_SEC
from onthedot.core.run import Run
from onthedot.core.schedule import JITTER_MAX_SEC
from onthedot.flows.known import Known


def counted_ahead(known: Known, now: int) -> int:
    """How many runs of a bounded task the cursor has passed, and is to pass again."""
    if known.due.runs_left is None:
        return 0
    between = (nominal(now - JITTER_MAX_SEC), nominal(now + LOOK_AHEAD_SEC + JITTER_MAX_SEC))
    rows = tables.rows(("task_id", known.task.task_id), "scheduled_for", between)
    ahead = [run for item in rows if (run := runs.readable(item)) and _counted(run, now)]
    if known.due.runs_left and known.indexed:
        # It stands where it stands; an exhausted one has passed all that there is.
        ahead = [run for run in ahead if run.life.due_ms < known.due.next_run_at * 1000]
    return len(ahead)


def _counted(run: Run, now: int) -> bool:
    coming = run.life.due_ms > now * 1000
    return coming and is_slot_key(run.key) and run.life.claimed_ms > 0
