"""The gate of a task whose runs may not overlap freely: taking a place, and giving it up."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace

from onthedot.adapters import claims, clock, queue, tables
from onthedot.core import gate as gates
from onthedot.core import moves
from onthedot.core import run as runs
from onthedot.core.decide import Skip
from onthedot.core.errors import BusyError
from onthedot.core.gate import Enter, Gate, Have, Turned, Wait
from onthedot.core.keys import GATE
from onthedot.core.pack import of_run
from onthedot.core.run import Run
from onthedot.core.task import Task
from onthedot.core.writes import Outcome
from onthedot.flows import executions, keyed, permits
from onthedot.flows.batch import Batch
from onthedot.flows.job import Job

_TRIES = 8


def guards(job: Job) -> bool:
    """Tell whether the task has a gate at all."""
    return job.task is not None and gates.guarded(job.task)


def acquire(batch: Batch, job: Job) -> Skip | bool | None:
    """Take a place: None is a place, a Skip an outcome, True a wait (and the message is done)."""
    run, task = job.held, job.task
    if task is None:
        raise LookupError(f"{run.run_id} has no task")
    for _ in range(_TRIES):
        seen = _read(run.task_id)
        rows = _rows_of(seen, run)
        now = seen.without([key for key, row in rows.items() if row is None or row.final])
        entry = gates.enter(now, run.key, task, _order(rows, run))
        match entry:
            case Have():
                return None
            case Turned(status, reason):
                _wake_first(now, rows, task, run.key)
                return Skip(status, reason)
            case Enter(wanted):
                if claims.write_one(gates.write(seen, wanted)) is Outcome.DONE:
                    return None
            case Wait(wanted, drop):
                if _waits(seen, wanted, rows, drop):
                    _wake_first(wanted, rows, task, run.key)
                    batch.done([job.ticket.run_id])
                    return True
    return True


def releases(job: Job) -> bool:
    """Tell whether the run's place must be given up at all."""
    return job.task is None or gates.waits(job.task)


def finish(job: Job) -> None:
    """Give permit and place up; whoever is first in a gate's line is woken before the release."""
    permits.finish([job])
    if releases(job):
        give_up(job.held)
    else:
        keyed.leave(job.held)


def give_up(run: Run) -> None:
    """Leave the gates, whether the run held places or waited for them."""
    keyed.leave(run)
    release(run)


def release(run: Run) -> None:
    """Leave the task's own gate."""
    for _ in range(_TRIES):
        seen = _read(run.task_id)
        if not seen.names(run.key):
            return
        wanted = seen.without([run.key])
        if wanted.waiting:
            _wake_an_open_one(wanted, run)
        if claims.write_one(gates.write(seen, wanted)) is Outcome.DONE:
            return
    # The message must come back: what it leaves behind would keep others waiting.
    raise BusyError(f"the gate of {run.task_id} kept changing under {_TRIES} attempts")


def _wake_an_open_one(gate: Gate, run: Run) -> None:
    """Who was cancelled in the line wakes nobody: the first that still can run is called."""
    rows = _rows_of(replace(gate, holders=()), run)
    _wake(next((row for row in rows.values() if row and not row.final), None))


def _read(task_id: str) -> Gate:
    return gates.parse(
        task_id, tables.get(gates.TABLE, {"task_id": task_id, "scheduled_for": GATE})
    )


def _rows_of(gate: Gate, run: Run) -> dict[str, Run | None]:
    keys = [key for key in (*gate.holders, *gate.waiting) if key != run.key]
    found = (
        tables.get_many(
            {runs.TABLE: [{"task_id": gate.task_id, "scheduled_for": key} for key in keys]}
        )[runs.TABLE]
        if keys
        else []
    )
    rows: dict[str, Run | None] = dict.fromkeys(keys)
    # One that this version cannot read keeps no place: it never ends by our hands.
    rows |= {item["scheduled_for"]: runs.readable(item) for item in found}
    return rows


def _order(rows: dict[str, Run | None], run: Run) -> dict[str, int]:
    order = {key: row.life.due_ms for key, row in rows.items() if row}
    return order | {run.key: run.life.due_ms}


def _waits(seen: Gate, wanted: Gate, rows: dict[str, Run | None], drop: tuple[str, ...]) -> bool:
    """Join the line; False says that the gate is to be looked at again."""
    if _end_the_line(seen, rows, drop):
        return False
    if wanted != seen and claims.write_one(gates.write(seen, wanted)) is not Outcome.DONE:
        return False
    # Whoever was cancelled before it started has left: there may be a place now.
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
            asked = moves.request_cancel(run, "previous", now_ms=now_ms)
            again |= claims.write_one(asked) is not Outcome.DONE
        else:
            if claims.write_one(moves.cancel(run, "previous", now_ms=now_ms)) is Outcome.DONE:
                permits.leave([run])
            executions.stop_soon(run)
            again = True
    return again


def _wake_first(gate: Gate, rows: dict[str, Run | None], task: Task, mine: str) -> None:
    """A free place and another first in line: whoever sees it wakes that one."""
    first = next(iter(gate.waiting), mine)
    if first != mine and len(gate.holders) < gates.places(task):
        _wake(rows.get(first))


def _wake(run: Run | None) -> None:
    if run is None:
        return
    if queue.send([(of_run(run, "wake"), 0)]):
        raise BusyError(f"SQS did not take the message that wakes {run.run_id}")
