"""What a task's calendars exclude, as its spec keeps them: resolved, never looked up."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

from onthedot.schedule.calendar_times import Calendar, compile_calendar

Blackout = Mapping[str, Any]


def blackout(
    name: str, *, timezone: str = "UTC", dates: Sequence[str] = (), cron: str | None = None
) -> Blackout:
    """Write a calendar into a spec; what it cannot mean is refused here, not at its first slot."""
    compile_calendar(name, timezone=timezone, dates=dates, cron=cron)
    return {"name": name, "timezone": timezone, "dates": list(dates), "cron": cron or ""}


def calendars_of(blackouts: Sequence[Blackout]) -> tuple[Calendar, ...]:
    """Compile them, each once."""
    return tuple(
        _compiled(one["name"], one["timezone"], tuple(one["dates"]), one["cron"])
        for one in blackouts
    )


def closing(calendars: Sequence[Calendar], slot: int) -> str:
    """Name the calendar that excludes a slot; an empty text says that none does."""
    return next((calendar.name for calendar in calendars if calendar.block(slot)), "")


@lru_cache(1024)
def _compiled(name: str, timezone: str, dates: tuple[str, ...], cron: str) -> Calendar:
    return compile_calendar(name, timezone=timezone, dates=dates, cron=cron or None)
