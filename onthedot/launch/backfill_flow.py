"""Plans a backfill, then launches some of its slots each minute. It can be stopped at any time.

If runs may not overlap freely, one follows the other, so that none turns another away.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace
from itertools import islice

from onthedot.dispatch.extra_runs import first_life, launch
from onthedot.launch import backfill
from onthedot.launch.backfill import Backfill, Past, turned_away
from onthedot.records.conditional_writes import Outcome
from onthedot.records.keys import GATE, backfill_key, item_key
from onthedot.records.runs import overlap_gate, run_row
from onthedot.records.runs.overlap_gate import Gate
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks import bulk_operation
from onthedot.records.tasks.bulk_operation import Loop
from onthedot.records.tasks.task_spec import ENDED, Task
from onthedot.schedule.time.instants import nominal, parse_nominal
from onthedot.store import clock, conditional_writer, ids, stored_runs, table_reads
from onthedot.store.tasks import read

# Slots that one look passes if there is nothing to do for them.
LOOK_MAX = 1_000


def plan(task: Task, wanted: Backfill, most: int) -> list[int]:
    """Returns the slots that would run now, among the first `most`. Nothing is written."""
    slots = list(islice(wanted.slots(task.schedule, wanted.first), most))
    past = _past(task, slots)
    return [
        slot for slot in slots if past.number(slot, only_missing=wanted.only_missing) is not None
    ]


def step(loop: Loop) -> Loop:
    """Launches first, then moves on: after a crash in between, the keys are found taken."""
    wanted = backfill.of(loop)
    known = read(wanted.task_id)
    if known is None or known.task.status in ENDED:
        return replace(loop, status="cancelled", ended_ms=clock.now_ms())
    if overlap_gate.guarded(known.task):
        return _one_by_one(loop, wanted, known.task)
    return _all_at_once(loop, wanted, known.task)


def follow(ended: Iterable[Run]) -> None:
    """Launches the next slot when one ends. If that fails, the minute's step does it."""
    for run in ended:
        key = {"task_id": bulk_operation.partition("backfill", run.tenant_id)}
        item = table_reads.get(bulk_operation.TABLE, key | {"scheduled_for": run.backfill_id})
        seen = bulk_operation.parse(item) if item else None
        if seen is not None and seen.running:
            after = step(seen)
            if after != seen:
                conditional_writer.write_one(bulk_operation.moved(seen, after))


def _all_at_once(loop: Loop, wanted: Backfill, task: Task) -> Loop:
    """Launches as many as the minute's limit allows, and looks no further. Late slots go first."""
    if _gate(task).catches_up:
        return loop
    now_ms = clock.now_ms()
    slots = _left(loop, wanted, task)
    past = _past(task, slots)
    launching: list[Run] = []
    looked_at = None
    for slot in slots:
        number = past.number(slot, only_missing=wanted.only_missing)
        if number is not None and len(launching) == loop.allowance(now_ms):
            break
        if number is not None:
            launching.append(_run(loop, task, slot, number))
        looked_at = slot
    # Another backfill may have filled a slot since it was looked at.
    done = launch(launching).count(Outcome.DONE) if launching else 0
    if slots and looked_at is None:
        return loop
    counted = replace(loop, **loop.counted(now_ms, done=done))
    return _behind(counted, wanted, task, looked_at)


def _one_by_one(loop: Loop, wanted: Backfill, task: Task) -> Loop:
    """Stays at a slot until its run has ended. A run that gave way to another is launched again."""
    now_ms = clock.now_ms()
    slots = _left(loop, wanted, task)
    past = _past(task, slots)
    for slot in slots:
        newest = past.newest(slot)
        mine = newest is not None and newest.backfill_id == loop.loop_id
        if newest is not None and mine and newest.final and not turned_away(newest):
            continue
        number = past.number(slot, only_missing=wanted.only_missing)
        if number is None and not mine:
            continue
        here = replace(loop, cursor=nominal(slot))
        if number is None or not loop.allowance(now_ms) or not _free(task):
            return here
        done = launch([_run(loop, task, slot, number)]).count(Outcome.DONE)
        return replace(here, **loop.counted(now_ms, done=done))
    return _behind(loop, wanted, task, slots[-1] if slots else None)


def _left(loop: Loop, wanted: Backfill, task: Task) -> list[int]:
    return list(islice(wanted.slots(task.schedule, parse_nominal(loop.cursor)), LOOK_MAX))


def _behind(loop: Loop, wanted: Backfill, task: Task, looked_at: int | None) -> Loop:
    """Continues after the slots that were looked at. If none is left, the backfill is done."""
    rest = () if looked_at is None else wanted.slots(task.schedule, looked_at + 1)
    following = next(iter(rest), None)
    if following is None:
        return replace(loop, status="done", ended_ms=clock.now_ms())
    return replace(loop, cursor=nominal(following))


def _free(task: Task) -> bool:
    """Tells whether no run holds a place, waits for one or catches up. Final runs do not count."""
    seen = _gate(task)
    if seen.since:
        return False
    named = (item_key(task.task_id, key) for key in (*seen.holders, *seen.waiting))
    return all(run.final for run in stored_runs.of(named).values())


def _gate(task: Task) -> Gate:
    item = table_reads.get(overlap_gate.TABLE, item_key(task.task_id, GATE))
    return overlap_gate.parse(task.task_id, item)


def _past(task: Task, slots: Sequence[int]) -> Past:
    """Reads the existing runs of these slots in one walk: their rows are neighbours."""
    if not slots:
        return Past.of([])
    between = nominal(slots[0]), f"{nominal(slots[-1])}~~"
    items = table_reads.rows(("task_id", task.task_id), "scheduled_for", between)
    return Past.of([run for item in items if (run := run_row.readable(item))])


def _run(loop: Loop, task: Task, slot: int, number: int) -> Run:
    now_ms = clock.now_ms()
    return Run(
        task_id=task.task_id,
        key=backfill_key(slot, number),
        tenant_id=task.tenant_id,
        origin="backfill",
        queue=task.queue,
        life=first_life(task, now_ms, ids.token()),
        slot=nominal(slot),
        backfill_id=loop.loop_id,
    )
