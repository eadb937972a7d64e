"""Shortens ranges: a blackout that was recorded ahead must not outlast its calendar."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice, takewhile

from onthedot.records.conditional_writes import Clause, Delete, Update
from onthedot.records.runs import run_row
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Reason
from onthedot.records.tasks import task_spec
from onthedot.records.tasks.task_items import revision_key
from onthedot.records.tasks.task_spec import ENDED, Task
from onthedot.records.timings import LOOK_AHEAD_SEC
from onthedot.schedule import schedule
from onthedot.schedule.schedule import Schedule
from onthedot.schedule.time.instants import nominal, parse_nominal
from onthedot.store import clock, conditional_writer, table_reads

# Rows. After a blackout that is still going on there are only runs without a plan, and few.
_LOOK_MAX = 200


def shorten(task: Task, now: int, *, whole: bool = True) -> None:
    """Ends each range at the edit that ended its schedule, or paused or ended its task.

    With `whole`, a range that lies wholly after the edit is deleted. Else it keeps one slot.
    """
    for run in _ahead(task):
        until = _until(task, run, now)
        if until is None or run.range_to <= nominal(until):
            continue
        schedule = _schedule(task, run.life.schedule_version)
        if schedule is not None:
            _end(run, _slots(run, schedule, until), whole=whole)


def _ahead(task: Task) -> Iterator[Run]:
    """Walks the newest rows for blackouts. They begin within the look-ahead."""
    last = clock.now_ms() // 1000 + 2 * LOOK_AHEAD_SEC
    between = ("0", f"{nominal(last)}~~")
    newest = table_reads.rows(
        ("task_id", task.task_id), "scheduled_for", between, newest_first=True, page=_LOOK_MAX
    )
    for item in islice(newest, _LOOK_MAX):
        run = run_row.readable(item) if "range_to" in item else None
        if run is not None and run.life.reason == Reason.CALENDAR:
            yield run


def _until(task: Task, run: Run, now: int) -> int | None:
    """Returns when the range stopped being true, or None if it still is."""
    if run.life.schedule_version < task.schedule_version:
        return task.effective_from
    if task.status == "paused":
        return task.paused_at
    return now if task.status in ENDED else None


def _schedule(task: Task, version: int) -> Schedule | None:
    """Returns the schedule that the range belongs to, or None if nothing keeps it any more."""
    if version == task.schedule_version:
        return task.schedule
    item = table_reads.get(task_spec.TABLE, revision_key(task.task_id, version))
    return schedule.unpack(item["compiled"]) if item else None


def _slots(run: Run, schedule: Schedule, until: int) -> list[int]:
    """Returns the slots of a range that were due by then: a day of minutes at most."""
    first, last = parse_nominal(run.key.partition("~")[0]), parse_nominal(run.range_to)
    inside = takewhile(lambda slot: slot <= last, schedule.slots(first - 1))
    return [slot for slot in inside if schedule.due_at(slot) <= until]


def _end(run: Run, slots: list[int], *, whole: bool) -> None:
    key = (("task_id", run.task_id), ("scheduled_for", run.key))
    clauses = (Clause.equal("range_to", run.range_to),)
    if not slots and whole:
        conditional_writer.delete_one(Delete(run_row.TABLE, key, clauses))
        return
    last = nominal(slots[-1]) if slots else run.key.partition("~")[0]
    sets = (("range_to", last), ("range_count", max(1, len(slots))))
    conditional_writer.write_one(Update(run_row.TABLE, key, sets, clauses))
