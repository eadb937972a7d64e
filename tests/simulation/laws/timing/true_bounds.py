"""What bounds a task's runs, read from what its user wrote: no flow can flatter itself by it."""

from __future__ import annotations

from dataclasses import dataclass
from hashlib import sha256

from onthedot.records.tasks.task_spec import Task


@dataclass(frozen=True, slots=True, kw_only=True)
class Limit:
    """What a key allows; zero is no limit."""

    place: str
    most: int
    count: int
    per_ms: int


def guarded(task: Task) -> bool:
    """Tells whether runs of the task may not run beside one another as they like."""
    return task.overlap in ("skip", "queue", "cancel_previous") or task.max_concurrent is not None


def waits(task: Task) -> bool:
    """Tells whether a run that finds no place waits for one."""
    return task.overlap in ("queue", "cancel_previous") or (
        task.overlap == "allow" and task.max_concurrent is not None
    )


def places(task: Task) -> int:
    """Returns how many may run at once where not all may."""
    return 1 if task.max_concurrent is None else task.max_concurrent


def limit_of(task: Task) -> Limit | None:
    """Returns the limit of its key; the keys of histories name nothing of a run."""
    wanted = task.shown.get("concurrency_key")
    if not wanted:
        return None
    digest = sha256(wanted["key"].encode()).hexdigest()[:32]
    rate = wanted.get("rate")
    return Limit(
        place=f"key#{task.tenant_id}#{digest}",
        most=wanted.get("max_running") or 0,
        count=rate["count"] if rate else 0,
        per_ms=rate["per_sec"] * 1000 if rate else 0,
    )
