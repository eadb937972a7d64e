"""Describes pauses that end by themselves: what a pause holds back, and when it ends."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.records.conditional_writes import Insert
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import measured, nominal, parse_nominal

TABLE = "runs"
# The partition of pauses that are to end, the nearest first.
OPEN = "pauses#open"
SYSTEM = "system"


def why(now: int, by: str, reason: str | None = None, until: int | None = None) -> dict[str, Any]:
    """Records who paused it, when, why and for how long."""
    end = None if until is None else measured(until)
    return {"at": measured(now), "by": by, "reason": reason, "until": end}


def end_of(task: Task) -> int | None:
    """Returns when the pause ends. None: the task is not paused, or paused without an end."""
    said = task.shown.get("paused") if task.status == "paused" else None
    return parse_nominal(said["until"]) if said and said.get("until") else None


def holds(task: Task, due: int) -> bool:
    """Tells whether the pause holds for a run due then, even if its end is not written yet."""
    end = end_of(task)
    return task.status == "paused" and (end is None or due < end)


def over(task: Task, now: int) -> int | None:
    """Returns the second after which the task is active again, once that has come.

    That is a second before the end, so that a run due at the very end is on time.
    """
    end = end_of(task)
    return end - 1 if end is not None and end - 1 <= now else None


def ended_at(task: Task, end: int) -> bool:
    """Tells whether the pause ended then by itself."""
    return task.shown.get("pause_ended") == measured(end)


def to_end(task: Task) -> list[Insert]:
    """Lists a pause that is to end. This is part of the write that pauses the task."""
    end = end_of(task)
    if end is None:
        return []
    item = {
        "task_id": OPEN,
        "scheduled_for": f"{nominal(end)}#{task.task_id}#{task.version}",
        "of": task.task_id,
    }
    return [Insert(TABLE, item, ("task_id", "scheduled_for"))]


def listed_end(item: Mapping[str, Any]) -> int:
    """Returns when a listed pause ends."""
    return parse_nominal(item["scheduled_for"].partition("#")[0])
