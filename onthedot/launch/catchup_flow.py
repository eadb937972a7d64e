"""Runs slots that passed during a pause, beside the outcomes that they have."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from onthedot.dispatch.extra_runs import first_life, launch, relaunched
from onthedot.records.conditional_writes import Outcome
from onthedot.records.keys import backfill_key
from onthedot.records.runs import run_row
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks import task_items, task_spec
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import nominal, parse_nominal
from onthedot.store import clock, ids, stored_runs, table_reads


def catch_up(task: Task, slots: Sequence[int]) -> None:
    """Launches the slots. A slot that was run again before is left alone."""
    now_ms = clock.now_ms()
    wanted = [
        Run(
            task_id=task.task_id,
            key=backfill_key(slot, 1),
            tenant_id=task.tenant_id,
            origin="catchup",
            queue=task.queue,
            life=first_life(task, now_ms, ids.token()),
            slot=nominal(slot),
        )
        for slot in slots
    ]
    if not wanted:
        return
    for run, outcome in zip(wanted, launch(wanted), strict=True):
        if outcome is Outcome.REFUSED:
            _go_on(run)


def before_resume(task: Task) -> Task:
    """Returns a schedule as its last resume found it, or as it is if there was none."""
    number = task.schedule_version - 1
    item = table_reads.get(task_spec.TABLE, task_items.revision_key(task.task_id, number))
    if item is None:
        return task
    return replace(
        task,
        status="paused",
        version=task.version - 1,
        schedule_version=number,
        compiled=item["compiled"],
        effective_from=parse_nominal(item["from"]),
    )


def _go_on(run: Run) -> None:
    """Sends a run that an earlier try claimed: it may have died before it sent it."""
    there = stored_runs.readable(run_row.row_key(run.run_id))
    if there is not None and there.origin == run.origin:
        relaunched(there)
