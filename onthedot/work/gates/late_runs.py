"""Makes late runs wait in line, lets them go, and wakes the next one when a run has ended."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from itertools import islice

from onthedot.records.conditional_writes import Outcome
from onthedot.records.keys import item_key, lies_beside
from onthedot.records.runs import overlap_gate, run_row
from onthedot.records.runs.overlap_gate import Enter, Gate, Have
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import ROWS_MAX
from onthedot.schedule.time.instants import nominal
from onthedot.store import clock, conditional_writer, run_messages, stored_runs, table_reads, tasks
from onthedot.work.gates import late_line
from onthedot.work.gates.late_line import Stay
from onthedot.work.job import Job
from onthedot.work.verdicts import Back, Later, Struck, Verdict

# Seconds. If a regular run holds the place, its end wakes nobody, so the first looks again.
_LOOK_SEC = 10
_PAGE = 25


def entry(job: Job, task: Task, gate: Gate) -> Have | Enter | Stay:
    """Decides about a run of the line. It reads only the rows that it needs."""
    run = job.held
    if run.key in gate.holders:
        return Have()
    now_ms = clock.now_ms()
    since = min(run.key, gate.since or _oldest(run, task, gate, now_ms))
    standing = _standing(task, replace(gate, since=since), now_ms, own=run)
    line = islice(standing, max(1, late_line.room(gate, task)))
    return late_line.enter(gate, run, task, [each.key for each in line])


def stays(job: Job, seen: Gate, stay: Stay, *, task: Task) -> Verdict | None:
    """Stands in line; None says that the gate is to be looked at again.

    The row says so first: the run that wakes the next one goes by it.
    """
    if noted := late_line.noted(job.held, task, late=job.late, now_ms=clock.now_ms()):
        job.run, write = noted
        # Done: the line may have ended before the row said so, and nobody would call it. Otherwise
        # the row has changed: its message comes back, and is decided on by what it says then.
        return None if conditional_writer.write_one(write) is Outcome.DONE else Back()
    if (
        stay.gate != seen
        and conditional_writer.write_one(overlap_gate.write(seen, stay.gate)) is not Outcome.DONE
    ):
        return None
    if stay.first and stay.first != job.held.key:
        _wake(job.held.task_id, stay.first)
    return Later(_LOOK_SEC) if stay.alone else Struck()


def pass_on(gate: Gate, waiting: Run | None) -> Gate:
    """Wakes the next run, and returns the gate after that. Without a next run the line ends.

    The next is the first in line, or a run that waits at the gate.
    """
    task = tasks.readable(gate.task_id)
    first = _first(task, gate) if task else None
    if first is None or task is None:
        next_one = waiting
    else:
        next_one = waiting if late_line.goes_first(gate, task, first.key) else first
    if next_one and (task is None or late_line.room(gate, task)):
        _send(next_one)
    return replace(gate, since=first.key if first else "")


def look_again(gate: Gate) -> None:
    """Wakes a run that joined while the end of the line was written: it saw a line, and waits."""
    task = tasks.readable(gate.task_id)
    if task and (first := _first(task, gate)):
        _send(first)


def unfound(run: Run, task: Task, gate: Gate) -> bool:
    """Tells whether an earlier slot is late and no worker has it yet: this run goes behind it."""
    now_ms = clock.now_ms()
    if not (late_line.follows(run, task, gate) and late_line.looks_back(run, task, now_ms)):
        return False
    place, between = ("task_id", task.task_id), ("0", run.key)
    rows = table_reads.rows(place, "scheduled_for", between, newest_first=True, page=_PAGE)
    before = islice(_runs(rows), _PAGE)
    return any(late_line.stands(each, task, gate, now_ms) for each in before if each.key < run.key)


def ahead_of(run: Run, task: Task, gate: Gate) -> Run | None:
    """Returns the first in line if it is due before a run that waits at the gate."""
    if not gate.since or gate.since >= run.key or task.overlap != "queue":
        return None
    first = _first(task, gate)
    return first if first and first.key < run.key else None


def call(first: Run, gate: Gate, task: Task) -> None:
    """Wakes the first in line if it can go now."""
    if late_line.room(gate, task):
        _send(first)


def _first(task: Task, gate: Gate) -> Run | None:
    return next(_standing(task, gate, clock.now_ms()), None)


def _standing(task: Task, gate: Gate, now_ms: int, *, own: Run | None = None) -> Iterator[Run]:
    """Walks the line, oldest first. The asking run is in it, whatever its row says yet."""
    between = (gate.since, f"{nominal(now_ms // 1000)}~~")
    place = ("task_id", task.task_id)
    for run in _runs(table_reads.rows(place, "scheduled_for", between, page=_PAGE)):
        if (own and run.key == own.key) or late_line.stands(run, task, gate, now_ms):
            yield run


def _oldest(run: Run, task: Task, gate: Gate, now_ms: int) -> str:
    """Looks back for the oldest run in line. A hundred rows of other runs end the search."""
    place, between = ("task_id", task.task_id), ("0", run.key)
    oldest, others = run.key, 0
    rows = table_reads.rows(place, "scheduled_for", between, newest_first=True, page=ROWS_MAX)
    for older in _runs(rows):
        if late_line.stands(older, task, gate, now_ms):
            oldest, others = older.key, 0
        others += 1
        if others > ROWS_MAX:
            break
    return oldest


def _runs(items: Iterator[table_reads.Item]) -> Iterator[Run]:
    for item in items:
        if lies_beside(item["scheduled_for"]):
            continue
        run = run_row.readable(item)
        if run is not None:
            yield run


def _wake(task_id: str, key: str) -> None:
    first = stored_runs.readable(item_key(task_id, key))
    if first is not None and not first.final:
        _send(first)


def _send(run: Run) -> None:
    run_messages.wake([run])
