"""Reads `pause_after_deaths`: the deaths in a row that pause a schedule. Null means never."""

from __future__ import annotations

from onthedot.records.tasks.task_spec import Task
from onthedot.registry.defaults import SCHEDULE

_FIELD = "pause_after_deaths"
_DEFAULT = SCHEDULE[_FIELD]
# Stands for null, which cannot be stored: the default is not stored either.
_NEVER = 0


def kept(wanted: int | None) -> dict[str, int]:
    """Returns what the spec stores: nothing for the default, as in every older spec."""
    return {} if wanted == _DEFAULT else {_FIELD: wanted or _NEVER}


def limit(task: Task) -> int | None:
    """Returns the number, or None if deaths never pause it."""
    return task.shown.get(_FIELD, _DEFAULT) or None


def near(task: Task, failures: int) -> int | None:
    """Returns the number if half of it is reached and the schedule is not paused."""
    most = limit(task)
    return most if most and task.status == "active" and 2 * failures >= most else None
