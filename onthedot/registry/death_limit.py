"""After how many deaths in a row a schedule is paused: `pause_after_deaths`, null for never."""

from __future__ import annotations

from onthedot.records.tasks.task_spec import Task
from onthedot.registry.defaults import SCHEDULE

_FIELD = "pause_after_deaths"
_DEFAULT = SCHEDULE[_FIELD]
# Null cannot be stored beside a default that is not stored either.
_NEVER = 0


def kept(wanted: int | None) -> dict[str, int]:
    """Give what the spec keeps of it: nothing for the default, as in every older spec."""
    return {} if wanted == _DEFAULT else {_FIELD: wanted or _NEVER}


def limit(task: Task) -> int | None:
    """Give the number, or None: it is never paused for its deaths."""
    return task.shown.get(_FIELD, _DEFAULT) or None


def near(task: Task, failures: int) -> int | None:
    """Give the number once half of it is reached and the schedule still runs."""
    most = limit(task)
    return most if most and task.status == "active" and 2 * failures >= most else None
