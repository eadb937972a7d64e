"""Planted faults of the engine of slots: the laws must not ask it what is right."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from onthedot.schedule.calendar_times import Calendar
from onthedot.schedule.slots import CronSlots

Patch = tuple[Any, str, Any]


def passed_over() -> list[Patch]:
    """Of slots within one minute, only the first one is found."""
    return [(CronSlots, "next", _once_a_minute(CronSlots.next))]


def open_too_early() -> list[Patch]:
    """The last minute of a calendar's hour is not closed any more."""

    def block(calendar: Calendar, instant: int) -> tuple[int, int] | None:
        found = before(calendar, instant)
        return found if found and instant < found[1] - 60 else None

    before = Calendar.block
    return [(Calendar, "block", block)]


def _once_a_minute(
    before: Callable[[CronSlots, int], int | None],
) -> Callable[[CronSlots, int], int | None]:
    def found(slots: CronSlots, after: int) -> int | None:
        slot = before(slots, after)
        while slot is not None and slot % 60 and slot // 60 == after // 60:
            slot = before(slots, slot)
        return slot

    return found
