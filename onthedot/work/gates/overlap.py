"""Takes and gives up places at the gates of tasks, for many runs at once where that is possible."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from functools import partial
from itertools import islice

from onthedot.launch import backfill_flow
from onthedot.records.conditional_writes import Outcome
from onthedot.records.runs import overlap_gate, run_row, run_writes
from onthedot.records.runs.overlap_gate import Enter, Gate, Have, Turned, Wait
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Status
from onthedot.records.tasks.task_spec import Task
from onthedot.store import clock, conditional_writer, table_reads
from onthedot.targets.aws import executions
from onthedot.work.decision_table import Skip
from onthedot.work.gates import gate_items, key_gate, late_line, late_runs, tenant_quota
from onthedot.work.gates.gate_items import Look
from onthedot.work.gates.late_line import Stay
from onthedot.work.job import Job
from onthedot.work.verdicts import Answers, Back, Struck, Verdict

# How many rows before a run's own are checked for runs that come first.
_NEAR = 8


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


def acquire(job: Job) -> Verdict | None:
    """Takes a place. None: the run has one. Otherwise returns what becomes of its message."""
    run, task = job.held, job.its_task
    for _ in range(gate_items.TRIES):
        look = gate_items.look(run.task_id, run.key)
        ahead = late_runs.ahead_of(run, task, look.now)
        entry = _entry(look, job, task, ahead=ahead)
        match entry:
            case Have():
                return None
            case Turned(status, reason):
                _wake_first(look.now, look, task, run.key)
                return Skip(status, reason)
            case Enter(wanted):
                if gate_items.written(look.seen, wanted):
                    return None
            case Stay():
                if verdict := late_runs.stays(job, look.seen, entry, task=task):
                    return verdict
            case Wait():
                if _stands(job, look, entry, ahead=ahead, task=task):
                    return Struck()
    return Back()


def _stands(job: Job, look: Look, wait: Wait, *, ahead: Run | None, task: Task) -> bool:
    """Waits in line, and wakes another run that could go. False: look at the gate again."""
    if not _waits(look, wait.gate, wait.drop):
        return False
    if ahead:
        late_runs.call(ahead, wait.gate, task)
    else:
        _wake_first(wait.gate, look, task, job.held.key)
    return True


def _entry(look: Look, job: Job, task: Task, *, ahead: Run | None) -> overlap_gate.Entry | Stay:
    run, now = job.held, look.now
    if late_line.joins(run, task, now, late=job.late) or late_runs.unfound(run, task, now):
        return late_runs.entry(job, task, now)
    order = look.order(run.key, run)
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
    seen, wanted = gate_items.change(
        run.task_id, lambda gate: _passed_on(gate, gate.without([run.key]), run)
    )
    if seen.since and not wanted.since:
        late_runs.look_again(replace(wanted, since=seen.since))


def _passed_on(seen: Gate, left: Gate, run: Run) -> Gate:
    """Wakes the next run, and returns the gate as it is to be.

    A run that was cancelled there wakes none. A run that never stood here may be what the first
    in line has waited for.
    """
    if not (left.waiting or left.since) or (left == seen and not left.since and left.holders):
        return left
    (look,) = gate_items.look_into([(left, run.key)])
    first = look.rows.get(look.now.waiting[0]) if look.now.waiting else None
    if look.now.since:
        return late_runs.pass_on(look.now, first)
    if left != seen or not look.now.holders:
        gate_items.wake([first])
    return left


def _waits(look: Look, wanted: Gate, drop: tuple[str, ...]) -> bool:
    """Joins the line. False: look at the gate again."""
    if _end_the_line(look, drop) or not gate_items.written(look.seen, wanted):
        return False
    # A run that was cancelled before it started has left: there may be a place now.
    return not _cancel(look.rows[key] for key in drop)


def _end_the_line(look: Look, drop: Iterable[str]) -> bool:
    """Gives the runs in line their outcome before the gate forgets them: no message names them."""
    return _cancel(look.rows[key] for key in drop if key in look.seen.waiting)


def _cancel(dropped: Iterable[Run | None]) -> bool:
    """Cancels as the API does: a run that has not started is settled, a running one asked to stop.

    True: look at the gate again, because a run has left or changed.
    """
    now_ms = clock.now_ms()
    again = False
    for run in dropped:
        if run is None or run.final or run.cancel_ms:
            continue
        if run.life.status == Status.RUNNING:
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


def _wake_first(gate: Gate, look: Look, task: Task, mine: str) -> None:
    gate_items.wake_if_free(gate, look.rows, overlap_gate.places(task), mine)


def enter(jobs: Sequence[Job]) -> Answers:
    """Takes places at the gates of tasks."""
    disputed = {job.held.task_id for job in jobs if not undisputed(job)}
    plain = [job for job in jobs if job.held.task_id not in disputed]
    alone, others = _one_a_task(plain)
    entered = _enter_undisputed(alone)
    left_of = {*others, *(job for job in alone if job not in entered)}
    singly = [job for job in jobs if job in left_of or job.held.task_id in disputed]
    # Late ones before what came due meanwhile: their message may be the later one.
    singly.sort(key=lambda job: job.held.life.due_ms)
    at_once: Answers = [(job, None) for job in entered]
    return [*at_once, *((job, acquire(job)) for job in singly)]


def leave(jobs: Iterable[Job]) -> None:
    """Gives up places after final outcomes. A gate with waiting runs is handled by itself."""
    ended = list(jobs)
    if bounded := [job for job in ended if job.is_bounded]:
        tenant_quota.finish(bounded)
    for job in ended:
        if job.held.life.key_gate:
            key_gate.leave(job.held)
    alone, others = _one_a_task([job for job in ended if releases(job)])
    seen = gate_items.read_many([job.held.task_id for job in alone]) if len(alone) > 1 else {}
    quiet = [job for job in alone if _nobody_waits(seen.get(job.held.task_id), job.held)]
    writes = [
        overlap_gate.write(seen[job.held.task_id], seen[job.held.task_id].without([job.held.key]))
        for job in quiet
    ]
    outcomes = conditional_writer.write_many(writes)
    gone = {job for job, done in zip(quiet, outcomes, strict=True) if done is Outcome.DONE}
    for job in (*alone, *others):
        if job not in gone:
            release(job.held)
    if filled := [job.held for job in ended if job.held.backfill_id and guards(job)]:
        backfill_flow.follow(filled)


def _one_a_task(jobs: Sequence[Job]) -> tuple[list[Job], list[Job]]:
    """Takes one run of each task: two writes of one gate would make the store reject the batch."""
    first = {job.held.task_id: job for job in reversed(jobs)}
    alone = [job for job in jobs if first[job.held.task_id] is job]
    return alone, [job for job in jobs if first[job.held.task_id] is not job]


def _enter_undisputed(jobs: Sequence[Job]) -> list[Job]:
    """Returns the jobs that could simply enter."""
    if len(jobs) < 2:
        return []
    seen = gate_items.read_many([job.held.task_id for job in jobs])
    looks = gate_items.look_into([(seen[job.held.task_id], job.held.key) for job in jobs])
    entering: list[tuple[Job, Gate, Enter]] = []
    entered = []
    for job, look in zip(jobs, looks, strict=True):
        if look.seen.catches_up:
            # Others catch up: it may have to stand behind them.
            continue
        entry = _entry_at_once(job, look)
        if isinstance(entry, Have):
            entered.append(job)
        elif isinstance(entry, Enter):
            entering.append((job, look.seen, entry))
    writes = [overlap_gate.write(gate, entry.gate) for _, gate, entry in entering]
    for (job, *_), outcome in zip(entering, conditional_writer.write_many(writes), strict=True):
        if outcome is Outcome.DONE:
            entered.append(job)
    return entered


def _entry_at_once(job: Job, look: Look) -> overlap_gate.Entry:
    """Decides as the one by one would."""
    run, task = job.held, job.its_task
    return overlap_gate.enter(look.now, run.key, task, look.order(run.key, run))


def _nobody_waits(seen: Gate | None, run: Run) -> bool:
    if seen is None or run.key not in seen.holders:
        return False
    return not seen.waiting and not seen.since
