"""Makes the flags of a schedule from the list of its fields."""

from __future__ import annotations

from typing import Any, get_args

from onthedot.records.shown_objects import hints
from onthedot.records.tasks.task_fields import COMPILED, SCHEDULE, WhenFields, without_null

# An argument is the expression, and a calendar is read from a file.
FIELDS = (*COMPILED, "max_runs")
_HELP = {
    "timezone": "the schedule's zone (default UTC)",
    "seconds": "the place of the seconds in 6 fields",
    "start_at": "no fire before it",
    "end_at": "no fire after it",
    "max_runs": "no more than N fires in all",
    "jitter_sec": "spread by up to N seconds",
}


def names(field: str) -> list[str]:
    """Returns the flags of a field. A zone also has a short one."""
    short = ["--tz"] if field == "timezone" else []
    return [f"--{field.replace('_', '-')}", *short]


def meaning(field: str) -> dict[str, Any]:
    """Returns type, default and help of a field's flag, by the list of fields."""
    kind = without_null(get_args(hints(WhenFields)[field])[0])
    found: dict[str, Any] = {"default": SCHEDULE[field], "help": _HELP.get(field)}
    if words := get_args(kind):
        return found | {"metavar": "|".join(words)}
    if kind is int:
        return found | {"type": int, "metavar": "N"}
    return found | {"metavar": "ZONE" if field == "timezone" else "INSTANT"}
