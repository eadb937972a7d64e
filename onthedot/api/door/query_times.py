"""Reads instants and zones in a query, by the same rules as in a body."""

from __future__ import annotations

from typing import Annotated

from aws_lambda_powertools.event_handler.openapi.params import Query

from onthedot.records.problems import Fault, Problem
from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.time.instants import parse_instant
from onthedot.schedule.time.zones import zone

_FORMAT = {"format": "date-time"}
From = Annotated[str | None, Query(alias="from", max_length=64, json_schema_extra=_FORMAT)]
To = Annotated[str | None, Query(max_length=64, json_schema_extra=_FORMAT)]

BACKWARDS = "to is before from: expected it at from or later."


def instant(text: str | None, name: str, default: int) -> int:
    """Reads an instant if one was given, else returns the default."""
    if text is None:
        return default
    try:
        return parse_instant(text, name)
    except ScheduleError as error:
        raise _refused(name, error) from None


def window(first: str | None, last: str | None, default: tuple[int, int]) -> tuple[int, int]:
    """Reads two instants. The second must not be before the first."""
    begin, end = instant(first, "from", default[0]), instant(last, "to", default[1])
    if end < begin:
        raise _refused("to", ScheduleError("out_of_range", BACKWARDS, field="to"))
    return begin, end


def in_body(text: str | None, field: str, *, not_before: bool = False) -> int | None:
    """Reads an instant of a body."""
    try:
        return None if text is None else parse_instant(text, field, not_before=not_before)
    except ScheduleError as error:
        raise Problem("invalid_field", error.message, [Fault.of(f"/{field}", error)]) from None


def refused_in_body(field: str, message: str) -> Problem:
    """Says what is wrong with an instant of a body."""
    error = ScheduleError("out_of_range", message, field=field)
    return Problem("invalid_field", message, [Fault.of(f"/{field}", error)])


def place(name: str) -> str:
    """Reads a zone's name."""
    try:
        zone(name)
    except ScheduleError as error:
        raise _refused("viewer_timezone", error) from None
    return name


def _refused(name: str, error: ScheduleError) -> Problem:
    return Problem("invalid_field", error.message, [Fault.of(f"?{name}", error)])
