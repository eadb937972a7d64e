"""Edits a registered task. Users and the system change tasks in this one way.

Slots that nobody claimed are recorded, the task is written, its runs are stamped, sent, dispatched.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from onthedot.dispatch import range_ends
from onthedot.dispatch.dispatcher import dispatch_inline
from onthedot.dispatch.extra_runs import send
from onthedot.records.conditional_writes import Clause, Outcome, Update
from onthedot.records.keys import shard_of
from onthedot.records.runs import edited_slots, max_runs, run_row, run_writes
from onthedot.records.runs.edited_slots import marked, why_dropped
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import NOT_STARTED, Reason, Status
from onthedot.records.tasks import exhausted_schedules, pause_ends, task_spec
from onthedot.records.tasks.payloads import of_task
from onthedot.records.tasks.task_items import Known, first_due
from onthedot.records.tasks.task_spec import ENDED, Task
from onthedot.records.timings import LOOK_AHEAD_SEC
from onthedot.registry import edit_writes, lifecycle
from onthedot.registry.edit_writes import Recount, Signed, Step, remaining
from onthedot.registry.unclaimed_slots import close_the_books
from onthedot.schedule.expression.errors import BusyError
from onthedot.schedule.schedule import JITTER_MAX_SEC
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
        step = None if as_it_stands else end_of_pause(seen, now)
        if step is None:
            check(seen.task)
            wanted = _signed(seen.task, make(seen.task, now), signed)
            step = asked_for(seen, wanted, now, signed)
        if step is None:
            return None
        near = _carry_out(step)
        if near is not None and not step.by_itself:
            return Edited(seen.task, step.wanted, near)
    raise BusyError(f"{task_id} kept changing under {_TRIES} attempts to edit it")


def _signed(before: Task, wanted: Task, signed: Signed | None) -> Task:
    """Signs the change. A new name is looked up first, so that a refusal can say whose it is."""
    if wanted.name != before.name:
        check_free(wanted)
    return lifecycle.touched(before, wanted, signed.by) if signed else wanted


def end_of_pause(seen: Known, now: int) -> Step | None:
    """Ends a pause that is over, as of its end. None: it is not over, or there is none."""
    at = pause_ends.over(seen.task, now) if seen.task.status == "paused" else None
    if at is None:
        return None
    wanted = _next_version(seen, lifecycle.resumed_by_itself(seen.task, at))
    return Step(seen=seen, wanted=wanted, at=wanted.effective_from, by_itself=True)


def asked_for(seen: Known, wanted: Task, now: int, signed: Signed | None) -> Step | None:
    """Makes the step that was asked for. None: the task has ended, and nothing revives it."""
    if _unstamped(wanted) == _unstamped(seen.task):
        return Step(seen=seen, wanted=seen.task, at=now, written=True)
    if seen.task.status in ENDED:
        return None
    wanted = _next_version(seen, _reopened(seen, wanted, now))
    return Step(seen=seen, wanted=wanted, at=now, signed=signed)


def foreseen(seen: Known, wanted: Task, now: int) -> Known:
    """Returns what an edit would leave. It does not look for runs that the edit would drop."""
    step = Step(seen=seen, wanted=_reopened(seen, wanted, now), at=now)
    due = replace(seen.due, runs_left=remaining(step, Recount()))
    if step.moves:
        due = replace(due, next_run_at=first_due(step.wanted) or due.next_run_at)
    return replace(seen, task=step.wanted, due=due)


def _next_version(seen: Known, wanted: Task) -> Task:
    """Raises the version: every write of a task has its own, and plans by another are refused."""
    return replace(wanted, version=seen.task.version + 1)


def _reopened(seen: Known, wanted: Task, now: int) -> Task:
    """Reopens a task that had fired all its runs, if it gets more. It goes on from now."""
    left = remaining(Step(seen=seen, wanted=wanted, at=now), Recount())
    return lifecycle.reopened(seen.task, wanted, left, now, indexed=seen.indexed)


def _unstamped(task: Task) -> Task:
    """Removes what depends on the time of an edit: two tries differ in it."""
    return replace(task, effective_from=0, paused_at=0, schedule_version=0)


def _carry_out(step: Step) -> Sequence[Run] | None:
    """Carries one step out. None: the task has changed since it was read. See decision 0158.

    If the caller dies on the way, the next call finds the write done and repeats the rest.
    """
    counted = Recount()
    if not step.written:
        if step.moves:
            # Behind the cursor nobody else would record slots that nobody claimed.
            close_the_books(step.seen, step.at)
            counted = _recount(step)
        if not _write(step, counted):
            return None
    # From here on no run starts by the former version. Only now may places be given back.
    near = _stamp(step.wanted)
    _give_back(step, counted, near)
    if _may_lift(step):
        range_ends.shorten(step.wanted, step.at)
    # A run outside the index may be claimed by a dispatcher that died before it sent it.
    _send(near, step.sent_from)
    # The next tick would be too late for what is due within the look-ahead.
    _dispatch(step.wanted.task_id, step.next_due)
    return near


def _recount(step: Step) -> Recount:
    """Counts slots that a dispatcher claimed and did not count, because it died or was late.

    The cursor may move back to slots that are claimed and counted already.
    """
    known, wanted = step.seen, step.wanted
    if known.due.runs_left is None:
        return Recount()
    claimed = list(_claimed(known, step.at))
    uncounted = sum(not _is_counted(run, known) for run in claimed)
    # A cursor that does not move back stays, and slots before it are counted.
    edge = wanted.effective_from
    if wanted.status != "active":
        edge = max(edge, known.due.next_run_at - 1)
    return Recount(
        uncounted,
        tuple(run.key for run in claimed if _due(run) > edge),
        frozenset(run.key for run in claimed),
    )


def _claimed(known: Known, now: int) -> Iterator[Run]:
    since = min(now, known.due.next_run_at) - JITTER_MAX_SEC
    between = (nominal(since), nominal(now + LOOK_AHEAD_SEC + JITTER_MAX_SEC))
    for item in table_reads.rows(("task_id", known.task.task_id), "scheduled_for", between):
        run = run_row.readable(item)
        if run and max_runs.counts(run):
            yield run


def _is_counted(run: Run, known: Known) -> bool:
    """Tells whether a run was counted, by an earlier edit or by the cursor."""
    due = _due(run)
    by_edit = run.key in known.due.ahead or due <= known.task.effective_from
    return by_edit or due < known.due.next_run_at


def _due(run: Run) -> int:
    """Returns when it was first due. A retry has a due time of its own."""
    return run.life.due_first_ms // 1000


def _write(step: Step, counted: Recount) -> bool:
    """Writes all or nothing. A large payload is stored before the item that names it."""
    task = step.wanted
    payload = None
    if task.item()["payload"] != step.seen.task.item()["payload"]:
        payload = stored(of_task(task.task_id, task.version), task.payload)
    now = clock.now_ms() // 1000
    written = edit_writes.writes(step, counted, payload=payload, now=now)
    parts = [*written, *edit_writes.beside(step)]
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


def _give_back(step: Step, counted: Recount, near: Sequence[Run]) -> None:
    """Gives back the runs that an edit dropped: it marks them, then raises the count.

    It comes after the stamp and before any dispatch: no dropped run can start any more, and no
    later edit restores a marked one. After a crash nothing is given back, and a cursor that moved
    since is left alone: rather a run too few than one too many.
    """
    wanted, left = step.wanted, remaining(step, counted)
    reasons = [(run, reason) for run in near if (reason := _why_dropped(run, wanted, counted))]
    if not reasons or left is None:
        return
    by, now_ms = ids.token(), clock.now_ms()
    outcomes = conditional_writer.write_many(
        [
            run_writes.mark(run, marked(run.life, reason, by), now_ms=now_ms)
            for run, reason in reasons
        ]
    )
    if given := outcomes.count(Outcome.DONE):
        _count_again(wanted, left, left + given)


def _why_dropped(run: Run, wanted: Task, counted: Recount) -> Reason | None:
    """Returns why a run that this edit counted will never start, or None."""
    waits = run.key in counted.claimed and run.life.status == Status.CLAIMED
    return why_dropped(run, wanted) if waits and wanted.status == "active" else None


def _count_again(wanted: Task, written: int, raised: int) -> None:
    """Raises the count. One write also makes a task that had no run left active again."""
    sets: tuple[tuple[str, Any], ...] = (("runs_left", raised),)
    back = written <= 0 < raised and first_due(wanted) is not None
    if back:
        sets += (("due_shard", shard_of(wanted.task_id)),)
    key = tuple(task_spec.cursor_key(wanted.task_id).items())
    as_written = (Clause.equal("version", wanted.version), Clause.equal("runs_left", written))
    count = Update(task_spec.TABLE, key, sets, as_written)
    if not back:
        conditional_writer.write_one(count)
        return
    # The audit may have marked it as completed by now.
    for _ in range(_TRIES):
        if (
            conditional_writer.write_together([count, exhausted_schedules.revived(wanted)])
            is not Outcome.UNSURE
        ):
            return


def _may_lift(step: Step) -> bool:
    """Tells whether this edit, or an earlier try of it, may end a blackout that is recorded ahead.

    After an earlier try the old blackouts are unknown. A first version that is active has none.
    """
    after = step.wanted
    if step.written:
        return after.schedule_version > 1 or after.status != "active"
    return step.moves and bool(step.seen.task.blackouts)


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
