"""One edit of a task: close the books, write both items, make it govern; only then acknowledge."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from onthedot.adapters import claims, clock
from onthedot.core import pauses
from onthedot.core import task as tasks
from onthedot.core.keys import CURSOR, SPEC
from onthedot.core.payloads import of_task
from onthedot.core.registered import cursor, first_due, revision
from onthedot.core.task import Task
from onthedot.core.writes import Clause, Outcome, Part, Update
from onthedot.flows.books import close_the_books
from onthedot.flows.govern import make_it_govern
from onthedot.flows.known import Known, read
from onthedot.flows.payloads import stored
from onthedot.flows.recounting import Recount, recount

_TRIES = 8
Edit = Callable[[Task, int], Task]
Also = Callable[[Task, Task], Sequence[Part]]


def _nothing_else(_before: Task, _after: Task) -> Sequence[Part]:
    return ()


def change(
    task_id: str, edit: Edit, also: Also = _nothing_else, *, as_it_stands: bool = False
) -> Task | None:
    """Carry an edit out; a task that is not there, or not any more, gives None.

    What else belongs to it is written together with it; what that collides with, `edit` finds.
    A pause that is over is ended first, unless the task is to be taken as it stands.
    """
    for _ in range(_TRIES):
        known = read(task_id)
        if known is None:
            return None
        now = clock.now_ms() // 1000
        if not as_it_stands and _its_pause_ended(known, now):
            continue
        wanted = edit(known.task, now)
        if _alike(wanted, known.task):
            # An earlier try may have died between its write and here: all of it is done again.
            make_it_govern(known.task, sent_from=0)
            return known.task
        if known.task.status in tasks.ENDED:
            # Nothing revives it.
            return None
        wanted = replace(_reopened(known, wanted, now), version=known.task.version + 1)
        if _written(known, wanted, now, also):
            return wanted
    raise RuntimeError(f"{task_id} kept changing under {_TRIES} attempts to edit it")


def _written(known: Known, wanted: Task, now: int, also: Also) -> bool:
    if _moves(known.task, wanted):
        close_the_books(known, now)
    writes = [*_writes(known, wanted, _recounted(known, wanted, now)), *also(known.task, wanted)]
    if claims.write_together(writes) is not Outcome.DONE:
        return False
    make_it_govern(wanted, sent_from=_sent_from(known, wanted))
    return True


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
    """One that had used up its runs and is given more goes on from now."""
    more = wanted.status == "active" and wanted.max_runs != known.task.max_runs
    if not more or known.indexed or known.task.status != "active":
        return wanted
    return replace(wanted, schedule_version=wanted.schedule_version + 1, effective_from=now)


def _moves(before: Task, after: Task) -> bool:
    """Tell whether the cursor goes elsewhere."""
    return (before.schedule_version, before.status) != (after.schedule_version, after.status)


def _recounted(known: Known, wanted: Task, now: int) -> Recount:
    """Count anew where the cursor goes elsewhere; the books are closed by then."""
    if not _moves(known.task, wanted):
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
    return known.due.next_run_at if _moves(before, wanted) else None


def _writes(known: Known, wanted: Task, counted: Recount) -> Sequence[Update]:
    """Both items, each only as it was read; a mere change of payload leaves the cursor alone."""
    before = known.task
    written, changed = before.item(), wanted.item()
    said = {name: value for name, value in changed.items() if written.get(name) != value}
    if "payload" in said:
        said["payload"] = stored(of_task(wanted.task_id, wanted.version), wanted.payload)
    spec = Update(
        tasks.TABLE,
        (("task_id", before.task_id), ("part", SPEC)),
        tuple(said.items()),
        (Clause.equal("version", before.version),),
        removes=tuple(name for name in written if name not in changed),
    )
    part = _cursor_write(known, wanted, counted)
    return [spec, part] if part else [spec]


def _cursor_write(known: Known, wanted: Task, counted: Recount) -> Update | None:
    before = known.task
    clauses: tuple[Clause, ...] = (Clause.equal("version", known.due.version),)
    following = first_due(wanted) if wanted.status == "active" else None
    item = cursor(wanted, following)
    left = item.pop("runs_left", None)
    if _moves(before, wanted):
        sets = {name: value for name, value in item.items() if name not in ("task_id", "part")}
        if following is None:
            sets.pop("next_run_at")
    else:
        old = cursor(before, None)
        sets = {name: item[name] for name in _PLANNED_WITH if item[name] != old[name]}
    removes: tuple[str, ...] = ()
    if known.due.ahead != counted.ahead and _moves(before, wanted):
        sets |= {"ahead": counted.ahead} if counted.ahead else {}
        removes += () if counted.ahead else ("ahead",)
    if wanted.max_runs != before.max_runs or _moves(before, wanted):
        removes += () if left is not None else ("runs_left",)
        clauses += _runs_left(known, wanted, sets, counted.counted)
    if not sets and not removes:
        return None
    if _moves(before, wanted) and "due_shard" not in item:
        removes += ("due_shard",)
    key = (("task_id", before.task_id), ("part", CURSOR))
    return Update(tasks.TABLE, key, (*sets.items(), *_version(wanted, sets)), clauses, removes)


# What dispatch plans with besides the schedule.
_PLANNED_WITH = ("misfire", "grace_sec", "queue", "pack_max")


def _version(wanted: Task, sets: dict[str, Any]) -> tuple[tuple[str, int], ...]:
    """Every write of the cursor bumps its version: what was planned before is void."""
    return () if "version" in sets else (("version", wanted.version),)


def _runs_left(known: Known, wanted: Task, sets: dict[str, Any], more: int) -> tuple[Clause, ...]:
    """A bound counts what has been claimed, as it was seen, and what this edit counts."""
    seen = known.due.runs_left
    if wanted.max_runs is not None:
        used = 0 if seen is None else (known.task.max_runs or 0) - seen + more
        sets["runs_left"] = max(0, wanted.max_runs - used)
    return () if seen is None else (Clause.equal("runs_left", seen),)
