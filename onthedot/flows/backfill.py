"""Backfill: planned first, then carried out so many slots a minute, and to be stopped any time."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice

from onthedot.adapters import claims, clock, ids, tables
from onthedot.core import backfill as backfills
from onthedot.core import run as runs
from onthedot.core.backfill import RATE_MAX, RUNNING, TABLE, Backfill
from onthedot.core.instants import nominal
from onthedot.core.keys import backfill_key
from onthedot.core.run import Run
from onthedot.core.schedule import Schedule
from onthedot.core.task import Task
from onthedot.core.writes import Outcome
from onthedot.flows.extra import first_life, launch
from onthedot.flows.known import read


def plan(wanted: Backfill) -> list[int]:
    """Dry run: the slots that would be run now."""
    known = read(wanted.task_id)
    if known is None:
        return []
    task = known.task
    slots = list(wanted.slots(task.schedule))
    return [slot for slot, _ in _to_run(wanted, task, slots)]


def begin(wanted: Backfill) -> bool:
    """Start it; the next minute makes its first step."""
    return claims.write_one(backfills.begin(wanted)) is Outcome.DONE


def stop(backfill_id: str) -> None:
    """Launch no more of it; what runs goes on."""
    tables.delete(TABLE, {"task_id": RUNNING, "scheduled_for": backfill_id})


def step() -> int:
    """Move every running backfill on by a minute's worth; give how many runs were launched."""
    items = list(tables.rows(("task_id", RUNNING), "scheduled_for", ("0", "~")))
    return sum(_step(backfills.parse(item)) for item in items)


def _step(running: Backfill) -> int:
    """Launch first, move on second: a crash in between finds the keys taken and goes on."""
    known = read(running.task_id)
    if known is None or known.task.status == "deleted":
        stop(running.backfill_id)
        return 0
    schedule: Schedule = known.task.schedule
    slots = list(islice(running.slots(schedule), min(running.per_minute, RATE_MAX)))
    launched = [_run(running, known.task, *one) for one in _to_run(running, known.task, slots)]
    if launched:
        launch(launched)
    if not slots or slots[-1] >= running.last:
        stop(running.backfill_id)
    else:
        claims.write_one(backfills.moved(running, slots[-1] + 1))
    return len(launched)


def _to_run(wanted: Backfill, task: Task, slots: Sequence[int]) -> list[tuple[int, int]]:
    """Pair each slot that is to be run with the number of its backfill."""
    own = {slot: nominal(slot) for slot in slots}
    keys = [{"task_id": task.task_id, "scheduled_for": key} for key in own.values()]
    rows = tables.by_key(tables.get_many({runs.TABLE: keys})[runs.TABLE], "scheduled_for")
    chosen = []
    for slot, key in own.items():
        row = rows.get((key,))
        number = backfills.number(
            runs.parse(row) if row else None,
            _earlier(task.task_id, slot),
            only_missing=wanted.only_missing,
        )
        if number is not None:
            chosen.append((slot, number))
    return chosen


def _earlier(task_id: str, slot: int) -> dict[int, Run]:
    between = (f"{nominal(slot)}~b", f"{nominal(slot)}~b~")
    found = [
        runs.parse(item) for item in tables.rows(("task_id", task_id), "scheduled_for", between)
    ]
    return {int(run.key.rsplit("~b", 1)[1]): run for run in found}


def _run(running: Backfill, task: Task, slot: int, number: int) -> Run:
    now_ms = clock.now_ms()
    return Run(
        task_id=task.task_id,
        key=backfill_key(slot, number),
        tenant_id=task.tenant_id,
        origin="backfill",
        queue=task.queue,
        life=first_life(task, now_ms, ids.token()),
        slot=nominal(slot),
        backfill_id=running.backfill_id,
    )
