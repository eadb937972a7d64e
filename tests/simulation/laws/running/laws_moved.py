"""Laws of tasks that are moved between our workers and outside ones: who starts a run, and when."""

from __future__ import annotations

from collections.abc import Iterator

from onthedot.records.tasks.task_spec import Task
from tests.simulation.machine.journal import Change, Journal
from tests.simulation.stage import Stage

Span = tuple[float, float]


def moved(journal: Journal) -> set[str]:
    """Names the tasks that an edit gave to other workers."""
    return {
        task_id
        for task_id, versions in journal.versions.items()
        if len({is_fetched(one.task) for one in versions}) > 1
    }


def is_fetched(task: Task) -> bool:
    """Tells whether outside workers are to work it."""
    return bool(task.target["type"] == "pull")


def fetched_spans(journal: Journal, task_id: str) -> Iterator[Span]:
    """Yields from when to when outside workers were to work a task."""
    versions = journal.versions[task_id]
    ends = [*(one.at_ms for one in versions[1:]), float("inf")]
    for version, end in zip(versions, ends, strict=True):
        if is_fetched(version.task):
            yield version.at_ms, end


def followed(stage: Stage, journal: Journal) -> Iterator[str]:
    """No start after an answered edit of the target is another's than that target's worker's.

    Of a run that is taken over nobody knows when its new worker has read the task.
    """
    of_moved = moved(journal)
    for change in journal.changes:
        taken_over = change.before is not None and change.before.status == "running"
        if change.task_id not in of_moved or not change.started or taken_over:
            continue
        least = _acknowledged(stage, change)
        allowed = [
            is_fetched(one.task)
            for one in journal.versions[change.task_id]
            if one.at_ms < change.at_ms and one.task.version >= least
        ]
        if change.asked not in allowed:
            who = "an outside worker" if change.asked else "a worker of ours"
            yield f"worked elsewhere: {change.run_id} by {who}, against version {least}"


def _acknowledged(stage: Stage, change: Change) -> int:
    """Returns the newest version that was answered by then."""
    return max(
        (
            act.version
            for act in stage.acts
            if act.task_id == change.task_id and 0 < act.acked_ms < change.at_ms
        ),
        default=0,
    )
