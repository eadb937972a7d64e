"""Edits a registered task. Users and the system change tasks in this one way.

Slots that nobody claimed are recorded, the task is written, its runs are stamped, sent, dispatched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from functools import partial
from itertools import groupby, islice
from typing import Any

from onthedot.dispatch import range_ends
from onthedot.dispatch.dispatcher import dispatch_inline
from onthedot.dispatch.extra_runs import send
from onthedot.dispatch.plan_effects import list_the_missed
from onthedot.records.conditional_writes import Clause, Outcome, Update, Write
from onthedot.records.keys import CURSOR, SPEC, range_key
from onthedot.records.runs import edited_slots, run_row, run_writes
from onthedot.records.runs.run_row import End, Life, Run
from onthedot.records.runs.run_status import NOT_STARTED, Reason, Status
from onthedot.records.tasks import exhausted_schedules, task_cursor, task_spec
from onthedot.records.tasks.payloads import of_task
from onthedot.records.tasks.task_items import Known, cursor, first_due
from onthedot.records.tasks.task_spec import ENDED, Task
from onthedot.records.timings import LOOK_AHEAD_SEC, ROWS_MAX
from onthedot.registry import edit_steps, lifecycle
from onthedot.registry.edit_steps import Recount, Signed, Step, remaining
from onthedot.registry.max_runs_edit import give_back, recount
from onthedot.schedule.blackouts import closing
from onthedot.schedule.expression.errors import BusyError
from onthedot.schedule.schedule import UNREADABLE
from onthedot.schedule.time.instants import nominal
from onthedot.store import clock, conditional_writer, ids, table_reads
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
    between = edited_slots.window(task, clock.now_ms() // 1000)
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
        return run_writes.settle_unstarted(run, Status.CANCELLED, ENDED[task.status], now_ms=now_ms)
    return run_writes.stamp(run, task.version, now_ms=now_ms)


def _send(near: Sequence[Run], sent_from: int | None) -> None:
    if sent_from is None:
        return
    claimed = [run for run in near if run.life.status == Status.CLAIMED]
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


# What dispatch needs for planning besides the schedule.
_PLANNED_WITH = ("misfire", "grace_sec", "queue", "pack_max")


def writes(step: Step, counted: Recount, *, payload: str | None, now: int) -> list[Write]:
    """Writes both items. If only the payload changes, in its stored form, the cursor stays.

    A schedule without a slot left is listed, so that the audit marks it as completed.
    """
    spec = _spec(step, payload)
    part = _cursor(step, counted)
    if part is None:
        return [spec]
    wanted = step.wanted
    ends = wanted.status == "active" and task_cursor.leaves(part)
    return [
        spec,
        part,
        *([exhausted_schedules.line(wanted.task_id, wanted.version, now)] if ends else []),
    ]


def _spec(step: Step, payload: str | None) -> Update:
    before = step.seen.task
    written, changed = before.item(), step.wanted.item()
    said = {name: value for name, value in changed.items() if written.get(name) != value}
    said |= {} if payload is None else {"payload": payload}
    return Update(
        task_spec.TABLE,
        (("task_id", before.task_id), ("part", SPEC)),
        tuple(said.items()),
        # The audit completes a task, and dispatch sets one aside, without a new version.
        (Clause.equal("version", before.version), Clause.equal("status", before.status)),
        removes=tuple(name for name in written if name not in changed),
    )


def _cursor(step: Step, counted: Recount) -> Update | None:
    before, wanted = step.seen.task, step.wanted
    clauses: tuple[Clause, ...] = (Clause.equal("version", step.seen.due.version),)
    following = first_due(wanted) if wanted.status == "active" else None
    item = cursor(wanted, following)
    left = item.pop("runs_left", None)
    if step.moves:
        sets = {name: value for name, value in item.items() if name not in ("task_id", "part")}
        if following is None:
            sets.pop("next_run_at")
    else:
        old = cursor(before, None)
        sets = {name: item[name] for name in _PLANNED_WITH if item[name] != old[name]}
    removes: tuple[str, ...] = ()
    if step.seen.due.ahead != counted.ahead and step.moves:
        sets |= {"ahead": counted.ahead} if counted.ahead else {}
        removes += () if counted.ahead else ("ahead",)
    if wanted.max_runs != before.max_runs or step.moves:
        removes += () if left is not None else ("runs_left",)
        clauses += _runs_left(step, sets, counted)
    if not sets and not removes:
        return None
    spent = sets.get("runs_left", 1) <= 0
    if spent:
        item.pop("due_shard", None)
        sets.pop("due_shard", None)
    if (spent or step.moves) and "due_shard" not in item:
        removes += ("due_shard",)
    # Every write of the cursor raises its version, so older plans are void.
    sets |= {"version": wanted.version}
    key = (("task_id", before.task_id), ("part", CURSOR))
    return Update(task_spec.TABLE, key, tuple(sets.items()), clauses, removes)


def _runs_left(step: Step, sets: dict[str, Any], counted: Recount) -> tuple[Clause, ...]:
    """Counts what was claimed, as it was seen, and what this edit counts, against the bound.

    A value below zero means that more were used than are allowed. A later, higher bound needs it.
    """
    left = remaining(step, counted)
    if left is not None:
        sets["runs_left"] = left
    seen = step.seen.due.runs_left
    return () if seen is None else (Clause.equal("runs_left", seen),)


# Slots that a tenth of a second can walk.
COUNT_MAX = 100_000


def close_the_books(known: Known, now: int) -> None:
    """Records the slots that a write is about to leave behind. Claimed slots keep their rows."""
    task = known.task
    slots = list(islice(_open_slots(known, now), COUNT_MAX + 1))
    if not slots:
        return
    if len(slots) > ROWS_MAX:
        records = _ranges(known, slots, now)
    else:
        records = [_record(task, slot, now, closing(task.closed, slot)) for slot in slots]
    list_the_missed(records, by=ids.token(), now_ms=now * 1000)
    conditional_writer.surely([run_writes.insert(record, now_ms=now * 1000) for record in records])


def _ranges(known: Known, slots: Sequence[int], now: int) -> list[Run]:
    """Makes one row for each stretch inside or outside a calendar, or one row if they are many.

    Slots that are too many for one call are not counted: then the last row has no count.
    """
    task = known.task
    stretches = [(name, [*each]) for name, each in groupby(slots, partial(closing, task.closed))]
    if len(stretches) > ROWS_MAX:
        stretches = [("", [*slots])]
    records = [
        replace(
            _record(task, each[0], now, calendar),
            key=range_key(each[0], known.due.version),
            range_to=nominal(each[-1]),
            range_count=len(each),
        )
        for calendar, each in stretches
    ]
    if len(slots) > COUNT_MAX:
        last = task.schedule.prev(now + 1) or now
        records[-1] = replace(records[-1], range_to=nominal(last), range_count=0)
    return records


def _open_slots(known: Known, now: int) -> Iterator[int]:
    """Yields the slots that are due by now: since the pause, or from the cursor on."""
    task = known.task
    if task.status == "paused":
        # Earlier slots were recorded by the pause, or by an edit during it.
        since = max(task.paused_at, task.effective_from) + 1
    elif known.indexed or task.status == "invalid":
        since = known.due.next_run_at
    else:
        return
    try:
        schedule = task.schedule
    except UNREADABLE:
        # Edits must be able to repair it, and deletes to end it. Its slots are unknown.
        return
    slot = schedule.prev(since + 1)
    if slot is None or schedule.due_at(slot) < since:
        slot = schedule.next(since - 1)
    while slot is not None and schedule.due_at(slot) <= now:
        yield slot
        slot = schedule.next(slot)


def _record(task: Task, slot: int, now: int, calendar: str) -> Run:
    status, reason = _OUTCOMES.get(task.status, (Status.MISSED, Reason.UNACCOUNTED))
    if calendar:
        status, reason = Status.SKIPPED, Reason.CALENDAR
    life = Life(
        status=status,
        reason=reason,
        tv=task.version,
        schedule_version=task.schedule_version,
        due_ms=task.schedule.due_at(slot) * 1000,
        end=End(ended_ms=now * 1000, note=calendar),
    )
    return Run(
        task_id=task.task_id,
        key=nominal(slot),
        tenant_id=task.tenant_id,
        origin="schedule",
        queue=task.queue,
        life=life,
    )


_OUTCOMES = {
    "paused": (Status.SKIPPED, Reason.PAUSED),
    "invalid": (Status.MISSED, Reason.QUARANTINED),
}
