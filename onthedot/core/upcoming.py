"""What is to fire next over many tasks: their slots, merged in the order of time."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from heapq import merge
from itertools import takewhile
from typing import Any

from onthedot.core import schedule_view
from onthedot.core.blackouts import closing
from onthedot.core.calendars import Calendar
from onthedot.core.instants import local, measured, nominal, parse_nominal
from onthedot.core.schedule import Schedule
from onthedot.core.zones import zone

Place = tuple[int, str]


@dataclass(frozen=True, slots=True, kw_only=True)
class Coming:
    """A task that fires: `schedule` is None for one that runs once, at `at`."""

    task_id: str
    name: str
    priority: int
    schedule: Schedule | None
    at: int = 0
    calendars: Sequence[Calendar] = ()

    def slots(self, first: int, last: int) -> Iterator[Place]:
        """Walk its slots from one instant to another, both included."""
        if self.schedule is None:
            yield from ((at, self.task_id) for at in (self.at,) if first <= at <= last)
            return
        slots = takewhile(lambda slot: slot <= last, self.schedule.slots(first - 1))
        yield from ((slot, self.task_id) for slot in slots)


def coming(item: Mapping[str, Any], calendars: Mapping[str, Calendar]) -> Coming | None:
    """Read an entry of the index; what is paused, over or cancelled does not fire."""
    if item["status"] != "active":
        return None
    once = item["task_id"].startswith("tsk_")
    named = item.get("calendars", ())
    return Coming(
        task_id=item["task_id"],
        name=item.get("name", ""),
        priority=item.get("priority", 2),
        schedule=None if once else schedule_view.listed(item),
        at=parse_nominal(item["start_at"]) if once else 0,
        calendars=[calendars[one] for one in named if one in calendars],
    )


def fires(
    known: Mapping[str, Coming], first: int, last: int, after: Place | None
) -> Iterator[dict[str, Any]]:
    """Walk what fires between two instants, from behind a place on."""
    since = max(first, after[0]) if after else first
    for place in merge(*(one.slots(since, last) for one in known.values())):
        if after is None or place > after:
            yield _fire(known[place[1]], place[0])


def _fire(one: Coming, slot: int) -> dict[str, Any]:
    timezone = one.schedule.timezone if one.schedule else "UTC"
    due = one.schedule.due_at(slot) if one.schedule else slot
    return {
        "at": nominal(slot),
        "due_at": measured(due),
        "local": local(zone(timezone), slot),
        "timezone": timezone,
        "task_id": one.task_id,
        "name": one.name or None,
        "priority": one.priority,
        # It is a slot, but a calendar has it skipped.
        "excluded_by": closing(one.calendars, slot) or None,
    }
