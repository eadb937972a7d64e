"""Merges the coming slots of many tasks in the order of time."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from heapq import merge
from itertools import takewhile
from typing import Any

from onthedot.api.views.fire_agenda import Agenda, Group, Member
from onthedot.schedule.blackouts import closing
from onthedot.schedule.time.instants import local, measured, nominal
from onthedot.schedule.time.zones import zone

Place = tuple[int, str]
# When, which task, and its place in the agenda: the group (none for a task that runs once).
_Fire = tuple[int, str, int, int]
_NO_GROUP = -1


def fires(agenda: Agenda, first: int, last: int, after: Place | None) -> Iterator[dict[str, Any]]:
    """Walks what fires between two instants, both included, after a place."""
    since = max(first, after[0]) if after else first
    walks = [_of_group(number, group, since, last) for number, group in enumerate(agenda.groups)]
    for at, task_id, of, place in merge(*walks, _of_once(agenda, since, last)):
        if after is None or (at, task_id) > after:
            yield _shown(agenda, at, of, place)


def _of_group(number: int, group: Group, first: int, last: int) -> Iterator[_Fire]:
    for slot in takewhile(lambda slot: slot <= last, group.schedule.slots(first - 1)):
        for place, member in enumerate(group.members):
            yield slot, member.task_id, number, place


def _of_once(agenda: Agenda, first: int, last: int) -> Iterator[_Fire]:
    for place, (at, member) in enumerate(agenda.once):
        if first <= at <= last:
            yield at, member.task_id, _NO_GROUP, place


def _shown(agenda: Agenda, at: int, of: int, place: int) -> dict[str, Any]:
    if of == _NO_GROUP:
        return _fire(agenda.once[place][1], at, at, "UTC")
    group = agenda.groups[of]
    member = group.members[place]
    due = replace(group.schedule, jitter_offset_sec=member.offset_sec).due_at(at)
    shown = _fire(member, at, due, group.schedule.timezone)
    # It is a slot, but a calendar skips it.
    return {**shown, "excluded_by": closing(group.calendars, at) or None}


def _fire(member: Member, at: int, due: int, timezone: str) -> dict[str, Any]:
    return {
        "at": nominal(at),
        "due_at": measured(due),
        "local": local(zone(timezone), at),
        "timezone": timezone,
        "task_id": member.task_id,
        "name": member.name or None,
        "priority": member.priority,
        "excluded_by": None,
    }
