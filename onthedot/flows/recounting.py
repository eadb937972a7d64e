"""What an edit counts of a bounded task: every slot that was claimed by then, and none twice."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from onthedot.adapters import tables
from onthedot.core import bound
from onthedot.core import run as runs
from onthedot.core.instants import nominal
from onthedot.core.numbers import LOOK_AHEAD_SEC
from onthedot.core.run import Run
from onthedot.core.schedule import JITTER_MAX_SEC
from onthedot.core.task import Task
from onthedot.flows.known import Known


@dataclass(frozen=True, slots=True)
class Recount:
    """How many are counted by the edit, and the keys of those that a cursor may yet come upon."""

    counted: int = 0
    ahead: tuple[str, ...] = ()


def recount(known: Known, wanted: Task, now: int) -> Recount:
    """Count what a dispatcher had claimed and not counted yet, for it died or was late.

    The cursor goes back to what comes next, where some is claimed and counted already.
    """
    if known.due.runs_left is None:
        return Recount()
    claimed = list(_claimed(known, now))
    uncounted = sum(not _is_counted(run, known) for run in claimed)
    # A cursor that is not set back stands where it stood, and what lies before it is counted.
    stays = known.due.next_run_at - 1 if wanted.status != "active" else 0
    edge = max(wanted.effective_from, stays)
    return Recount(uncounted, tuple(run.key for run in claimed if _due(run) > edge))


def _claimed(known: Known, now: int) -> Iterator[Run]:
    since = min(now, known.due.next_run_at) - JITTER_MAX_SEC
    between = (nominal(since), nominal(now + LOOK_AHEAD_SEC + JITTER_MAX_SEC))
    for item in tables.rows(("task_id", known.task.task_id), "scheduled_for", between):
        run = runs.readable(item)
        if run and bound.counts(run):
            yield run


def _is_counted(run: Run, known: Known) -> bool:
    """By an edit before this one, or by the cursor since."""
    due = _due(run)
    by_edit = run.key in known.due.ahead or due <= known.task.effective_from
    return by_edit or due < known.due.next_run_at


def _due(run: Run) -> int:
    """When it was due at first: a retry has a due time of its own."""
    return (run.life.first_due_ms or run.life.due_ms) // 1000
