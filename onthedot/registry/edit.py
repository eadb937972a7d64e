"""Edits a registered task. Users and the system change tasks in this one way."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

from onthedot.dispatch import range_ends
from onthedot.dispatch.dispatcher import dispatch_inline
from onthedot.dispatch.extra_runs import send
from onthedot.records.conditional_writes import Outcome, Update
from onthedot.records.runs import dropped_slots, run_row, run_writes
from onthedot.records.runs.run_row import NOT_STARTED, Run
from onthedot.records.tasks.payloads import of_task
from onthedot.records.tasks.task_items import Known
from onthedot.records.tasks.task_spec import ENDED, Task
from onthedot.records.timings import LOOK_AHEAD_SEC
from onthedot.registry import edit_steps, lifecycle
from onthedot.registry.edit_steps import Recount, Signed, Step
from onthedot.registry.edit_writes import writes
from onthedot.registry.max_runs_edit import give_back, recount
from onthedot.registry.unclaimed_slots import close_the_books
from onthedot.schedule.expression.errors import BusyError
from onthedot.store import clock, conditional_writer, table_reads
from onthedot.store.payloads import stored
from onthedot.store.schedule_names import check_free
from onthedot.store.tasks import read

_TRIES = 8
Make = Callable[[Task, int], Task]
Check = Callable[[Task], None]


def any_state(_task: Task) -> None:
    """Accepts the task in any state."""


@dataclass(frozen=True, slots=True)
class Edited:
    """A task before and after an edit, and its runs around now, which the edit looked at."""

    before: Task
    task: Task
    near: Sequence[Run]


def edit(
    task_id: str,
    make: Make,
    signed: Signed | None = None,
    *,
    check: Check = any_state,
    known: Known | None = None,
    as_it_stands: bool = False,
) -> Edited | None:
    """Changes a task that was just read or is read now. None: it does not exist.

    `check` may refuse the present task; `make` returns the new one. Each try calls both. A pause
    that is over is ended first, unless `as_it_stands`.
    """
    at_hand = None if known is None or known.mended else known
    for _ in range(_TRIES):
        seen, at_hand = at_hand or read(task_id), None
        if seen is None:
            return None
        now = clock.now_ms() // 1000
        step = None if as_it_stands else edit_steps.end_of_pause(seen, now)
        if step is None:
            check(seen.task)
            wanted = _signed(seen.task, make(seen.task, now), signed)
            step = edit_steps.asked_for(seen, wanted, now, signed)
        if step is None:
            return None
        near = _carry_out(step)
        if near is not None and not step.by_itself:
            return Edited(seen.task, step.wanted, near)
    raise BusyError(f"{task_id} kept changing under {_TRIES} attempts to edit it")


def _carry_out(step: Step) -> Sequence[Run] | None:
    """Carries one step out. None: the task has changed since it was read. See decision 0158.

    If the caller dies on the way, the next call finds the write done and repeats the rest.
    """
    counted = Recount()
    if not step.written:
        if step.moves:
            # Behind the cursor nobody else would record slots that nobody claimed.
            close_the_books(step.seen, step.at)
            counted = recount(step)
        if not _write(step, counted):
            return None
    # From here on no run starts by the former version. Only now may places be given back.
    near = _stamp(step.wanted)
    give_back(step, counted, near)
    if _may_lift(step):
        range_ends.shorten(step.wanted, step.at)
    # A run outside the index may be claimed by a dispatcher that died before it sent it.
    _send(near, step.sent_from)
    # The next tick would be too late for what is due within the look-ahead.
    _dispatch(step.wanted.task_id, step.next_due)
    return near


def _may_lift(step: Step) -> bool:
    """Tells whether this edit, or an earlier try of it, may end a blackout that is recorded ahead.

    After an earlier try the old blackouts are unknown. A first version that is active has none.
    """
    after = step.wanted
    if step.written:
        return after.schedule_version > 1 or after.status != "active"
    return step.moves and bool(step.seen.task.blackouts)


def _signed(before: Task, wanted: Task, signed: Signed | None) -> Task:
    """Signs the change. A new name is looked up first, so that a refusal can say whose it is."""
    if wanted.name != before.name:
        check_free(wanted)
    return lifecycle.touched(before, wanted, signed.by) if signed else wanted


def _write(step: Step, counted: Recount) -> bool:
    """Writes all or nothing. A large payload is stored before the item that names it."""
    task = step.wanted
    payload = None
    if task.item()["payload"] != step.seen.task.item()["payload"]:
        payload = stored(of_task(task.task_id, task.version), task.payload)
    now = clock.now_ms() // 1000
    parts = [*writes(step, counted, payload=payload, now=now), *edit_steps.beside(step)]
    return conditional_writer.write_together(parts) is Outcome.DONE


def _stamp(task: Task) -> list[Run]:
    """Stamps every run that has not started, before the write is acknowledged (L5).

    A worker that starts a run with an older key looks at the task once more.
    """
    between = dropped_slots.window(task, clock.now_ms() // 1000)
    for _ in range(_TRIES):
        items = table_reads.rows(("task_id", task.task_id), "scheduled_for", between)
        # A run's own payload lies beside it. A row of another version must not block an edit.
        near = [run for item in items if (run := run_row.readable(item))]
        behind = [run for run in near if _to_be_stamped(run, task)]
        if not behind:
            return near
        conditional_writer.write_many([_stamped(run, task) for run in behind])
    raise BusyError(f"the runs of {task.task_id} kept changing under {_TRIES} stamps")


def _to_be_stamped(run: Run, task: Task) -> bool:
    open_now = run.life.status in NOT_STARTED
    return open_now and (run.life.tv < task.version or task.status in ENDED)


def _stamped(run: Run, task: Task) -> Update:
    now_ms = clock.now_ms()
    if task.status in ENDED:
        return run_writes.settle_unstarted(run, "cancelled", ENDED[task.status], now_ms=now_ms)
    return run_writes.stamp(run, task.version, now_ms=now_ms)


def _send(near: Sequence[Run], sent_from: int | None) -> None:
    if sent_from is None:
        return
    claimed = [run for run in near if run.life.status == "claimed"]
    if due := [run for run in claimed if run.life.due_ms // 1000 >= sent_from]:
        send(due)


def _dispatch(task_id: str, next_due: int | None) -> None:
    """Dispatches what is due soon, unless another writer moved the cursor and does it."""
    if next_due is None or not _is_near(next_due):
        return
    known = read(task_id)
    if known is not None and known.indexed and _is_near(known.due.next_run_at):
        dispatch_inline(known.due)


def _is_near(instant: int) -> bool:
    return instant <= clock.now_ms() // 1000 + LOOK_AHEAD_SEC
