"""Checks a schedule declared in code: an impossible one is refused when `jobs/` is imported."""

from __future__ import annotations

from collections.abc import Mapping
from difflib import get_close_matches
from typing import Any

from onthedot.records.tasks.task_fields import COMPILED, SCHEDULE
from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.schedule import compile_schedule
from onthedot.schedule.time.instants import parse_instant
from onthedot.targets.python.handler import HandlerError

_WHEN = ("cron", "every_sec", *COMPILED)
DECLARABLE = frozenset(SCHEDULE) - {"status"}


def checked(declared: Mapping[str, Any]) -> Mapping[str, Any]:
    """Returns the declaration unchanged. The deploy's own write checks the rest of its values."""
    called = declared.get("name", "")
    for field in declared:
        if field not in DECLARABLE:
            raise HandlerError(f"{called}: '{field}' is not a field of a schedule{_meant(field)}.")
    if declared:
        try:
            _compile(declared)
        except ScheduleError as mistake:
            hint = f" Try '{mistake.suggestion}'." if mistake.suggestion else ""
            raise HandlerError(f"{called}: {mistake.message}{hint}") from mistake
    return declared


def _compile(declared: Mapping[str, Any]) -> None:
    when = {field: declared[field] for field in _WHEN if declared.get(field) is not None}
    every_sec = when.pop("every_sec", None)
    text = when.pop("cron", None) or f"@every {every_sec}s"
    for bound in ("start_at", "end_at"):
        if bound in when:
            when[bound] = parse_instant(when[bound], bound, not_before=bound == "start_at")
    compile_schedule(text, **when)


def _meant(field: str) -> str:
    near = get_close_matches(field, DECLARABLE, 1)
    return f": did you mean '{near[0]}'?" if near else ""
