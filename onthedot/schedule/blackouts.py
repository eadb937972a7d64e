"""Writes a task's calendars into its spec, and reads them back. They are stored in full."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from onthedot.schedule.calendar_times import Calendar, compile_calendar

Blackout = Mapping[str, Any]


def blackout(
    name: str, *, timezone: str = "UTC", dates: Sequence[str] = (), cron: str | None = None
) -> Blackout:
    """Compiles a calendar for a spec. An error in it is found here, not at its first slot."""
    compile_calendar(name, timezone=timezone, dates=dates, cron=cron)
    return {"name": name, "timezone": timezone, "dates": list(dates), "cron": cron or ""}


def calendars_of(blackouts: Sequence[Blackout]) -> tuple[Calendar, ...]:
    """Compiles the calendars; equal ones are compiled once."""
    return tuple(
        _compiled(one["name"], one["timezone"], tuple(one["dates"]), one["cron"])
        for one in blackouts
    )


def closing(calendars: Sequence[Calendar], slot: int) -> str:
    """Returns the name of the calendar that excludes a slot, or an empty text if none does."""
    return next((calendar.name for calendar in calendars if calendar.block(slot)), "")


@lru_cache(1024)
def _compiled(name: str, timezone: str, dates: tuple[str, ...], cron: str) -> Calendar:
    return compile_calendar(name, timezone=timezone, dates=dates, cron=cron or None)
