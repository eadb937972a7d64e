"""Takes and gives up places at the gate of a task whose runs may not overlap freely."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from itertools import islice
from typing import NamedTuple

from onthedot.records.conditional_writes import Outcome
from onthedot.records.keys import GATE
from onthedot.records.runs import overlap_gate, run_row, run_writes
from onthedot.records.runs.message_pack import of_run
from onthedot.records.runs.overlap_gate import Enter, Gate, Have, Turned, Wait
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.expression.errors import BusyError
from onthedot.store import clock, conditional_writer, queue, table_reads
from onthedot.targets.aws import executions
from onthedot.work.batch import Batch
from onthedot.work.decision_table import Skip
from onthedot.work.gates import key_gate, late_line, late_runs, tenant_quota
from onthedot.work.gates.late_line import Stay
from onthedot.work.job import Job

_TRIES = 8
# How many rows before a run's own are checked for runs that come first.
_NEAR = 8


class _Look(NamedTuple):
    """The gate as it was read, the rows that it names, and the decision by them."""

    seen: Gate
    rows: dict[str, Run | None]
    entry: Wait | Stay
    # The first in line, if it goes before.
    ahead: Run | None


def guards(job: Job) -> bool:
    """Tells whether the job passes a gate: its task has one, or it catches up."""
    if job.task is None:
        return False
    return overlap_gate.guarded(job.task) or late_line.is_one(job.held, late=job.late)


def undisputed(job: Job) -> bool:
    """Tells whether a free place is all that it needs: no line, and no other run before it."""
    now_ms = clock.now_ms()
    if late_line.passes_on(job.held, now_ms, late=job.late) or job.task is None:
        return False
    return not (overlap_gate.ordered(job.task) or late_line.looks_back(job.held, job.task, now_ms))


def acquire(batch: Batch, job: Job) -> Skip | bool | None:
    """Takes a place. None: it has one. Skip: its outcome. True: it waits, its message is done."""
    run, task = job.held, job.task
    if task is None:
        raise LookupError(f"{run.run_id} has no task")
    for _ in range(_TRIES):
        seen = _read(run.task_id)
        rows = _rows_of(seen, run)
        now = _open(seen, rows)
        ahead = late_runs.ahead_of(run, task, now)
        entry = _entry(now, rows, job, task, ahead=ahead)
        match entry:
            case Have():
                return None
            case Turned(status, reason):
                _wake_first(now, rows, task, run.key)
                return Skip(status, reason)
            case Enter(wanted):
                if conditional_writer.write_one(overlap_gate.write(seen, wanted)) is Outcome.DONE:
                    return None
            case Wait() | Stay():
                if _stands(batch, job, task, _Look(seen, rows, entry, ahead)):
                    return True
    return True


def _stands(batch: Batch, job: Job, task: Task, look: _Look) -> bool:
    """Makes a run wait in a line. False: look at the gate again."""
    entry = look.entry
    if isinstance(entry, Stay):
        return late_runs.stays(batch, job, look.seen, entry, task=task)
    if not _waits(look.seen, entry.gate, look.rows, entry.drop):
        return False
    if look.ahead:
        late_runs.call(look.ahead, entry.gate, task)
    else:
        _wake_first(entry.gate, look.rows, task, job.held.key)
    batch.done([job.ticket.run_id])
    return True


def _open(gate: Gate, rows: Mapping[str, Run | None]) -> Gate:
    """Removes runs that are final or missing: they hold no place and wait for none."""
    return gate.without([key for key, row in rows.items() if row is None or row.final])


def _entry(
    now: Gate, rows: dict[str, Run | None], job: Job, task: Task, *, ahead: Run | None
) -> overlap_gate.Entry | Stay:
    run = job.held
    if late_line.joins(run, task, now, late=job.late) or late_runs.unfound(run, task, now):
        return late_runs.entry(job, task, now)
    order = _order(rows, run)
    if not overlap_gate.ordered(task):
        return overlap_gate.enter(now, run.key, task, order)
    older = partial(_older, now, run, ahead)
    return overlap_gate.enter(now, run.key, task, order, older=older)


def _older(now: Gate, run: Run, ahead: Run | None) -> bool:
    """Tells whether a run with an earlier due time is on its way: messages have no order."""
    if ahead:
        return True
    now_ms = clock.now_ms()
    before = table_reads.rows(
        ("task_id", run.task_id), "scheduled_for", ("0", run.key), newest_first=True, page=_NEAR
    )
    found = (run_row.readable(item) for item in islice(before, _NEAR))
    return any(each and overlap_gate.comes_before(each, run, now, now_ms) for each in found)


def releases(job: Job) -> bool:
    """Tells whether the run has a place that must be given up."""
    if job.task is None or overlap_gate.waits(job.task):
        return True
    return late_line.passes_on(job.held, clock.now_ms(), late=job.late)


def finish(job: Job) -> None:
    """Gives up permit and place. The first in line is woken before the release."""
    tenant_quota.finish([job])
    if releases(job):
        give_up(job.held)
    else:
        key_gate.leave(job.held)


def give_up(run: Run) -> None:
    """Leaves the gates, whether the run held places or waited for them."""
    key_gate.leave(run)
    release(run)


def release(run: Run) -> None:
    """Leaves the task's own gate."""
    for _ in range(_TRIES):
        seen = _read(run.task_id)
        wanted = _passed_on(seen, seen.without([run.key]), run)
        if wanted == seen:
            return
        if conditional_writer.write_one(overlap_gate.write(seen, wanted)) is Outcome.DONE:
            if seen.since and not wanted.since:
                late_runs.look_again(replace(wanted, since=seen.since))
            return
    # The message must come back: a place that is not given up would keep others waiting.
    raise BusyError(f"the gate of {run.task_id} kept changing under {_TRIES} attempts")


def _passed_on(seen: Gate, left: Gate, run: Run) -> Gate:
    """Wakes the next run, and returns the gate after that. A cancelled waiter wakes nobody.

    The first in line may also have waited for a run that was never at this gate.
    """
    if not (left.waiting or left.since) or (left == seen and not left.since and left.holders):
        return left
    rows = _rows_of(left, run)
    now = _open(left, rows)
    first = rows.get(now.waiting[0]) if now.waiting else None
    if now.since:
        return late_runs.pass_on(now, first)
    if left != seen or not now.holders:
        _wake(first)
    return left


def _read(task_id: str) -> Gate:
    return overlap_gate.parse(
        task_id, table_reads.get(overlap_gate.TABLE, {"task_id": task_id, "scheduled_for": GATE})
    )


def _rows_of(gate: Gate, run: Run) -> dict[str, Run | None]:
    keys = [key for key in (*gate.holders, *gate.waiting) if key != run.key]
    found = (
        table_reads.get_many(
            {run_row.TABLE: [{"task_id": gate.task_id, "scheduled_for": key} for key in keys]}
        )[run_row.TABLE]
        if keys
        else []
    )
    rows: dict[str, Run | None] = dict.fromkeys(keys)
    # A run that this version cannot read holds no place: we could never end it.
    rows |= {item["scheduled_for"]: run_row.readable(item) for item in found}
    return rows


def _order(rows: dict[str, Run | None], run: Run) -> dict[str, int]:
    order = {key: row.life.due_ms for key, row in rows.items() if row}
    return order | {run.key: run.life.due_ms}


def _waits(seen: Gate, wanted: Gate, rows: dict[str, Run | None], drop: tuple[str, ...]) -> bool:
    """Joins the line. False: look at the gate again."""
    if _end_the_line(seen, rows, drop):
        return False
    if (
        wanted != seen
        and conditional_writer.write_one(overlap_gate.write(seen, wanted)) is not Outcome.DONE
    ):
        return False
    # A cancelled run that had not started has left, so there may be a place now.
    return not _cancel(rows[key] for key in drop)


def _end_the_line(gate: Gate, rows: dict[str, Run | None], drop: Iterable[str]) -> bool:
    """Gives the runs in line their outcome before the gate forgets them: no message names them."""
    return _cancel(rows[key] for key in drop if key in gate.waiting)


def _cancel(dropped: Iterable[Run | None]) -> bool:
    """Cancels as the API does: a run that has not started is settled, a running one asked to stop.

    True: look at the gate again, because a run has left or changed.
    """
    now_ms = clock.now_ms()
    again = False
    for run in dropped:
        if run is None or run.final or run.cancel_ms:
            continue
        if run.life.status == "running":
            asked = run_writes.request_cancel(run, "previous", now_ms=now_ms)
            again |= conditional_writer.write_one(asked) is not Outcome.DONE
        else:
            if (
                conditional_writer.write_one(run_writes.cancel(run, "previous", now_ms=now_ms))
                is Outcome.DONE
            ):
                tenant_quota.leave([run])
            executions.stop_soon(run)
            again = True
    return again


def _wake_first(gate: Gate, rows: dict[str, Run | None], task: Task, mine: str) -> None:
    """Wakes the first in line if a place is free and another run is first."""
    first = next(iter(gate.waiting), mine)
    if first != mine and len(gate.holders) < overlap_gate.places(task):
        _wake(rows.get(first))


def _wake(run: Run | None) -> None:
    if run is None:
        return
    if queue.send([(of_run(run, "wake"), 0)]):
        raise BusyError(f"SQS did not take the message that wakes {run.run_id}")
