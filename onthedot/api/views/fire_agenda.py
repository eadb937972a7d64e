"""Groups all that a tenant has coming: equal schedules are compiled and walked once."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from onthedot.api.views import schedule_view
from onthedot.records.tasks.task_fields import LISTED, WHEN
from onthedot.registry import definition
from onthedot.schedule.calendar_times import Calendar
from onthedot.schedule.expression.stable_hash import spread
from onthedot.schedule.schedule import Schedule
from onthedot.schedule.time.instants import parse_nominal

NAMED = ("task_id", "name", "priority", "jitter_sec", "calendars")
# The fields of an index entry that say when it fires. Each task has its own jitter.
_WHEN = tuple(name for name in WHEN if name in LISTED and name not in NAMED)
CARRIED = (*NAMED, *_WHEN)


class Member(NamedTuple):
    """A task that fires, and the seconds by which its jitter delays it."""

    task_id: str
    name: str
    priority: int
    offset_sec: int


@dataclass(frozen=True, slots=True)
class Group:
    """Tasks with the same slots. Slots inside its calendars are skipped."""

    schedule: Schedule
    calendars: Sequence[Calendar]
    members: Sequence[Member]

    @property
    def with_calendars(self) -> Schedule:
        """Returns the schedule without what its calendars exclude."""
        return schedule_view.with_calendars(self.schedule, self.calendars)


@dataclass(frozen=True, slots=True, kw_only=True)
class Agenda:
    """What was read at one time. `complete` unless the tenant has more than one read takes."""

    read_ms: int
    complete: bool
    groups: Sequence[Group] = ()
    # Tasks that run once, in the order of time.
    once: Sequence[tuple[int, Member]] = field(default=())

    @property
    def size(self) -> int:
        """Returns how many tasks are in it."""
        return sum(len(group.members) for group in self.groups) + len(self.once)


def groups(items: Iterable[Mapping[str, Any]], known: Mapping[str, Calendar]) -> list[Group]:
    """Groups the entries of active schedules by when they fire."""
    alike: dict[tuple[Any, ...], list[Mapping[str, Any]]] = {}
    for item in items:
        # H is drawn from the task's id, so no other schedule is equal.
        own = item["task_id"] if "H" in item.get("cron", "") else ""
        when = tuple([item.get(name) for name in _WHEN])
        alike.setdefault((*when, *item.get("calendars", ()), own), []).append(item)
    return [_group(found, known) for found in alike.values()]


def once(items: Iterable[Mapping[str, Any]]) -> list[tuple[int, Member]]:
    """Sorts the entries of one-off tasks by time."""
    return sorted((parse_nominal(item["start_at"]), _member(item)) for item in items)


def _group(items: Sequence[Mapping[str, Any]], known: Mapping[str, Calendar]) -> Group:
    first = items[0]
    fields = {name: first.get(name, default) for name, default in LISTED.items()}
    schedule = definition.compiled({**fields, "jitter_sec": 0}, first["task_id"])
    closed = [known[one] for one in first.get("calendars", ()) if one in known]
    return Group(schedule, closed, sorted(map(_member, items)))


def _member(item: Mapping[str, Any]) -> Member:
    jitter_sec = item.get("jitter_sec", 0)
    return Member(
        item["task_id"],
        item.get("name", ""),
        item.get("priority", 2),
        spread(item["task_id"], "jitter", jitter_sec + 1) if jitter_sec else 0,
    )
