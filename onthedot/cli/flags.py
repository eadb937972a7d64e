"""Turns the flags of a command into the engine's arguments, and errors into text for people."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from onthedot.records.tasks.task_fields import COMPILED
from onthedot.schedule.calendar_times import Calendar, compile_calendar
from onthedot.schedule.expression.errors import ScheduleError
from onthedot.schedule.schedule import Schedule, compile_schedule
from onthedot.schedule.time.instants import parse_instant


def schedule(asked: argparse.Namespace) -> Schedule:
    """Compiles what was asked for."""
    given = {name: getattr(asked, name) for name in COMPILED}
    bounds = {name: _instant(given[name], name) for name in ("start_at", "end_at")}
    return compile_schedule(
        asked.expression,
        **given | bounds,
        seed=asked.seed,
        calendars=[_calendar(path) for path in asked.calendar],
    )


def after(asked: argparse.Namespace) -> int:
    """Returns the instant after which fires are wanted."""
    given = _instant(asked.after, "from")
    return int(time.time()) if given is None else given


def check_count(asked: argparse.Namespace, *names: str) -> None:
    """Refuses a number of fires that is not positive."""
    for name in names:
        value = getattr(asked, name)
        if value is not None and value < 1:
            message = f"{name} is {value}: expected 1 or more."
            raise ScheduleError("out_of_range", message, field=name)


def _instant(text: str | None, field: str) -> int | None:
    return None if text is None else parse_instant(text, field, not_before=field == "start_at")


def _calendar(path: str) -> Calendar:
    try:
        given = _calendar_fields(json.loads(Path(path).read_text(encoding="utf-8")))
        return compile_calendar(
            given["name"],
            timezone=given.get("timezone", "UTC"),
            dates=given.get("dates", ()),
            cron=given.get("cron"),
        )
    except OSError as failure:
        message = f"'{path}' cannot be read: {failure.strerror}."
        raise ScheduleError("bad_value", message, field="calendar") from None
    except ScheduleError as mistake:
        message = f"In '{path}': {mistake.message}"
        hint = mistake.suggestion
        raise ScheduleError(mistake.code, message, field="calendar", suggestion=hint) from None
    except (KeyError, TypeError, AttributeError, ValueError, RecursionError):
        message = f"'{path}' is not a calendar: expected JSON with name, timezone and dates."
        raise ScheduleError("bad_value", message, field="calendar") from None


def _calendar_fields(given: dict[str, Any]) -> dict[str, Any]:
    """Returns the object's fields. It must say what it excludes, and have no unknown field."""
    if not given["name"].isprintable() or given.keys().isdisjoint(("dates", "cron")):
        raise KeyError
    if given.keys() - {"name", "timezone", "dates", "cron"}:
        raise KeyError
    return given


def complain(error: ScheduleError, text: str, *, as_json: bool) -> int:
    """Shows the mistake in its place, and what to write instead. Returns the exit code."""
    if as_json:
        sys.stdout.write(json.dumps({"error": error.as_json()}) + "\n")
        return 2
    lines = [f"onthedot: {error.message} ({error.field}: {error.code})"]
    shown = error.field not in ("timezone", "calendar") and error.code != "too_long"
    if error.position and shown:
        start, end = error.position
        lines += [f"  {text}", f"  {' ' * start}{'^' * max(1, end - start)}"]
    if error.suggestion:
        lines.append(f"  try: {error.suggestion}")
    sys.stderr.write("\n".join(lines) + "\n")
    return 2
