"""The gate of a task whose runs may not overlap freely: taking a place, and giving it up."""

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
# How many rows before a run's own are asked whether they come first.
_NEAR = 8


class _Look(NamedTuple):
    """The gate as it was read, the rows that it names, and what was decided by them."""

    seen: Gate
    rows: dict[str, Run | None]
    entry: Wait | Stay
    # The first in line, if it goes before.
    ahead: Run | None


def guards(job: Job) -> bool:
    """Tell whether it passes a gate at all: its task has one, or it catches up."""
    if job.task is None:
        return False
    return overlap_gate.guarded(job.task) or late_line.is_one(job.held, late=job.late)


def undisputed(job: Job) -> bool:
    """Tell whether a free place is all that it needs: no line, and no other before it."""
    now_ms = clock.now_ms()
    if late_line.passes_on(job.held, now_ms, late=job.late) or job.task is None:
        return False
    return not (overlap_gate.ordered(job.task) or late_line.looks_back(job.held, job.task, now_ms))


def acquire(batch: Batch, job: Job) -> Skip | bool | None:
    """Take a place: None is a place, a Skip an outcome, True a wait (and the message is done)."""
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
    """Stand in a line; False says that the gate is to be looked at again."""
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
    """Leave out who is final or missing: those hold nothing, and wait for nothing."""
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
    """Tell whether one that is due before it is still on its way here: messages have no order."""
    if ahead:
        return True
    now_ms = clock.now_ms()
    before = table_reads.rows(
        ("task_id", run.task_id), "scheduled_for", ("0", run.key), newest_first=True, page=_NEAR
    )
    found = (run_row.readable(item) for item in islice(before, _NEAR))
    return any(each and overlap_gate.comes_before(each, run, now, now_ms) for each in found)


def releases(job: Job) -> bool:
    """Tell whether the run's place must be given up at all."""
    if job.task is None or overlap_gate.waits(job.task):
        return True
    return late_line.passes_on(job.held, clock.now_ms(), late=job.late)


def finish(job: Job) -> None:
    """Give permit and place up; the first in a gate's line is woken before the release."""
    tenant_quota.finish([job])
    if releases(job):
        give_up(job.held)
    else:
        key_gate.leave(job.held)


def give_up(run: Run) -> None:
    """Leave the gates, whether the run held places or waited for them."""
    key_gate.leave(run)
    release(run)


def release(run: Run) -> None:
    """Leave the task's own gate."""
    for _ in range(_TRIES):
        seen = _read(run.task_id)
        wanted = _passed_on(seen, seen.without([run.key]), run)
        if wanted == seen:
            return
        if conditional_writer.write_one(overlap_gate.write(seen, wanted)) is Outcome.DONE:
            if seen.since and not wanted.since:
                late_runs.look_again(replace(wanted, since=seen.since))
            return
    # The message must come back: what it leaves behind would keep others waiting.
    raise BusyError(f"the gate of {run.task_id} kept changing under {_TRIES} attempts")


def _passed_on(seen: Gate, left: Gate, run: Run) -> Gate:
    """Wake who is next, and give the gate as it is to be; who was cancelled there wakes nobody.

    Also a run that never stood here may be what the first in line has waited for.
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
    # One that this version cannot read keeps no place: it never ends by our hands.
    rows |= {item["scheduled_for"]: run_row.readable(item) for item in found}
    return rows


def _order(rows: dict[str, Run | None], run: Run) -> dict[str, int]:
    order = {key: row.life.due_ms for key, row in rows.items() if row}
    return order | {run.key: run.life.due_ms}


def _waits(seen: Gate, wanted: Gate, rows: dict[str, Run | None], drop: tuple[str, ...]) -> bool:
    """Join the line; False says that the gate is to be looked at again."""
    if _end_the_line(seen, rows, drop):
        return False
    if (
        wanted != seen
        and conditional_writer.write_one(overlap_gate.write(seen, wanted)) is not Outcome.DONE
    ):
        return False
    # A run that was cancelled before it started has left: there may be a place now.
    return not _cancel(rows[key] for key in drop)


def _end_the_line(gate: Gate, rows: dict[str, Run | None], drop: Iterable[str]) -> bool:
    """Those in line get their outcome before the gate forgets them: no message names them."""
    return _cancel(rows[key] for key in drop if key in gate.waiting)


def _cancel(dropped: Iterable[Run | None]) -> bool:
    """As the API would: not started is settled, running is asked to stop, once.

    True says that the gate is to be looked at again: one has left, or changed under our hands.
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
    """A free place and another first in line: the worker that sees it wakes that one."""
    first = next(iter(gate.waiting), mine)
    if first != mine and len(gate.holders) < overlap_gate.places(task):
        _wake(rows.get(first))


def _wake(run: Run | None) -> None:
    if run is None:
        return
    if queue.send([(of_run(run, "wake"), 0)]):
        raise BusyError(f"SQS did not take the message that wakes {run.run_id}")
