"""Reads the inputs of a run: from its own item, from its version, or from its task."""

from __future__ import annotations

from dataclasses import replace

from onthedot.records.runs import run_row, side_item
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.side_item import Own
from onthedot.records.tasks import kept_versions, task_spec
from onthedot.records.tasks.kept_versions import Sent
from onthedot.records.tasks.task_spec import Task
from onthedot.store import table_reads, tasks


def own(run: Run) -> Own:
    """Reads what a run has instead of its task's payload and target."""
    if not run.payload_ref and not run.target_ref:
        return Own()
    return side_item.parse(table_reads.get(run_row.TABLE, side_item.key(run.task_id, run.key)))


def aimed(run: Run, task: Task) -> Task | None:
    """Returns the task with the run's own target. None: the run's item is gone."""
    if not run.target_ref:
        return task
    target = own(run).target
    return None if target is None else replace(task, target=target)


def sent(run: Run, task: Task, own: Own) -> Sent:
    """Returns the input of its newest attempt, or of its first one if none has begun.

    A run that ended without an attempt got nothing, except what is its own.
    """
    if own.payload is not None and own.target is not None:
        return Sent(own.target, own.payload)
    given = _given(run, task)
    # A purge has deleted the payload, and nothing replaces it.
    kept = None if run.payload_ref else given.payload
    return Sent(own.target or given.target, kept if own.payload is None else own.payload)


def _given(run: Run, task: Task) -> Sent:
    version = kept_versions.version_of(run)
    if not version:
        return kept_versions.NOTHING if run.final else kept_versions.of_task(task)
    return of_version(task, version)


def of_version(task: Task, version: int) -> Sent:
    """Returns the input of runs of a version. Nothing is kept of what no edit has changed since."""
    if version > task.version:
        task = tasks.readable(task.task_id) or task
    if version < task.version:
        between = kept_versions.since(version)
        kept = table_reads.rows(
            ("task_id", task.task_id), "part", between, table=task_spec.TABLE, page=1
        )
        for item in kept:
            return kept_versions.parse(item)
    return kept_versions.of_task(task)
