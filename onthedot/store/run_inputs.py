"""What a run was given: by its own item, by the version that it ran by, or by its task as it is."""

from __future__ import annotations

from dataclasses import replace

from onthedot.records.runs import run_row, side_item
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.side_item import Own
from onthedot.records.tasks import kept_versions, task_spec
from onthedot.records.tasks.kept_versions import Sent
from onthedot.records.tasks.task_spec import Task
from onthedot.store import table_reads


def own(run: Run) -> Own:
    """Read what a run has in place of its task's payload and target."""
    if not run.payload_ref and not run.target_ref:
        return Own()
    return side_item.parse(table_reads.get(run_row.TABLE, side_item.key(run.task_id, run.key)))


def aimed(run: Run, task: Task) -> Task | None:
    """Give a task as a run of it has it: with its own target; None: that is not there any more."""
    if not run.target_ref:
        return task
    target = own(run).target
    return None if target is None else replace(task, target=target)


def sent(run: Run, task: Task, own: Own) -> Sent:
    """Give what its newest attempt was given, or its next one, if it is to have a first.

    One that ended without an attempt was given nothing, but for what is its own.
    """
    if own.payload is not None and own.target is not None:
        return Sent(own.target, own.payload)
    given = _given(run, task)
    # A purge has taken the payload, and nothing stands for it.
    kept = None if run.payload_ref else given.payload
    return Sent(own.target or given.target, kept if own.payload is None else own.payload)


def _given(run: Run, task: Task) -> Sent:
    version = kept_versions.version_of(run)
    if not version:
        return kept_versions.NOTHING if run.final else kept_versions.of_task(task)
    return of_version(task, version)


def of_version(task: Task, version: int) -> Sent:
    """Give what runs of a version were given; nothing is kept of what no edit has changed since."""
    if version > task.version:
        spec = table_reads.get(task_spec.TABLE, task_spec.spec_key(task.task_id))
        task = (task_spec.readable(spec) if spec else None) or task
    if version < task.version:
        between = kept_versions.since(version)
        kept = table_reads.rows(
            ("task_id", task.task_id), "part", between, table=task_spec.TABLE, page=1
        )
        for item in kept:
            return kept_versions.parse(item)
    return kept_versions.of_task(task)
