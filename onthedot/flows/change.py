"""One edit of a task: close the books, write both items, make it govern; only then acknowledge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from functools import partial

from onthedot.adapters import claims, clock
from onthedot.core import lifecycle, pauses
from onthedot.core import task as tasks
from onthedot.core.errors import BusyError
from onthedot.core.registered import first_due, revision
from onthedot.core.run import Run
from onthedot.core.task import Task
from onthedot.core.writes import Outcome, Part
from onthedot.flows.books import close_the_books
from onthedot.flows.edited import moves, writes
from onthedot.flows.govern import make_it_govern
from onthedot.flows.known import Known, read
from onthedot.flows.recounting import Recount, give_back, recount, remaining

_TRIES = 8
Edit = Callable[[Task, int], Task]
Also = Callable[[Task, Task], Sequence[Part]]


def _nothing_else(_before: Task, _after: Task) -> Sequence[Part]:
    return ()


@dataclass(frozen=True, slots=True)
class Changed:
    """A task as an edit left it, and its runs of about now, which had to be looked at."""

    task: Task
    near: Sequence[Run]


def change(
    task_id: str, edit: Edit, also: Also = _nothing_else, *, as_it_stands: bool = False
) -> Task | None:
    """Carry an edit out; a task that is not there, or not any more, gives None.

    What else belongs to it is written together with it; what that collides with, `edit` finds.
    A pause that is over is ended first, unless the task is to be taken as it stands.
    """
    done = changed(task_id, edit, also, as_it_stands=as_it_stands)
    return done.task if done else None


def changed(
    task_id: str,
    edit: Edit,
    also: Also = _nothing_else,
    *,
    known: Known | None = None,
    as_it_stands: bool = False,
) -> Changed | None:
    """Carry an edit out on what the caller has just read, and read again if that has changed."""
    for _ in range(_TRIES):
        seen, known = known or read(task_id), None
        if seen is None:
            return None
        now = clock.now_ms() // 1000
        if not as_it_stands and _its_pause_ended(seen, now):
            continue
        wanted = edit(seen.task, now)
        if _alike(wanted, seen.task):
            # An earlier try may have died between its write and here: all of it is done again.
            next_due = seen.due.next_run_at if seen.indexed else None
            return Changed(seen.task, make_it_govern(seen.task, sent_from=0, next_due=next_due))
        if seen.task.status in tasks.ENDED:
            # Nothing revives it.
            return None
        wanted = replace(_reopened(seen, wanted, now), version=seen.task.version + 1)
        near = _written(seen, wanted, now, also)
        if near is not None:
            return Changed(wanted, near)
    raise BusyError(f"{task_id} kept changing under {_TRIES} attempts to edit it")


def foreseen(known: Known, wanted: Task, now: int) -> Known:
    """Tell what an edit would leave; runs that it would drop are not looked for."""
    wanted = _reopened(known, wanted, now)
    due = replace(known.due, runs_left=remaining(known, wanted, Recount()))
    if moves(known.task, wanted):
        due = replace(due, next_run_at=first_due(wanted) or due.next_run_at)
    return replace(known, task=wanted, due=due)


def _written(known: Known, wanted: Task, now: int, also: Also) -> Sequence[Run] | None:
    """Write it and make it govern; None: it was not as it had been read."""
    if moves(known.task, wanted):
        close_the_books(known, now)
    counted = _recounted(known, wanted, now)
    parts = [*writes(known, wanted, counted), *also(known.task, wanted)]
    if claims.write_together(parts) is not Outcome.DONE:
        return None
    return make_it_govern(
        wanted,
        sent_from=_sent_from(known, wanted),
        next_due=_next_due(known, wanted),
        stamped=partial(give_back, known, wanted, counted),
    )


def _next_due(known: Known, wanted: Task) -> int | None:
    """Tell where the write leaves the cursor: where it was, unless it was moved."""
    if not moves(known.task, wanted):
        return known.due.next_run_at if known.indexed else None
    return first_due(wanted) if wanted.status == "active" else None


def _its_pause_ended(known: Known, now: int) -> bool:
    """Write down that a pause is over, as of its end, before anything else is said of the task."""
    at = pauses.over(known.task, now)
    if at is None:
        return False
    wanted = pauses.ended(known.task, at)
    wanted = replace(wanted, version=known.task.version + 1)
    _written(known, wanted, wanted.effective_from, resumed_by_itself)
    return True


def resumed_by_itself(before: Task, after: Task) -> Sequence[Part]:
    """Keep what ruled until then: a resume is the beginning of another schedule."""
    return [revision(before, until=after.effective_from, by=pauses.SYSTEM)]


def _alike(wanted: Task, present: Task) -> bool:
    """Tell whether the edit finds its own work done already."""
    return _unstamped(wanted) == _unstamped(present)


def _unstamped(task: Task) -> Task:
    return replace(task, effective_from=0, paused_at=0, schedule_version=0)


def _reopened(known: Known, wanted: Task, now: int) -> Task:
    """One that had fired all it could and is given more goes on from now."""
    left = remaining(known, wanted, Recount())
    return lifecycle.reopened(known.task, wanted, left, now, indexed=known.indexed)


def _recounted(known: Known, wanted: Task, now: int) -> Recount:
    """Count anew where the cursor goes elsewhere; the books are closed by then."""
    if not moves(known.task, wanted):
        return Recount()
    return recount(known, wanted, now)


def _sent_from(known: Known, wanted: Task) -> int | None:
    """From which due time on claimed runs are to be sent: nobody else may know of them now."""
    before = known.task
    if (before.overlap, before.max_concurrent, before.queue_max) != (
        wanted.overlap,
        wanted.max_concurrent,
        wanted.queue_max,
    ):
        return 0
    return known.due.next_run_at if moves(before, wanted) else None
