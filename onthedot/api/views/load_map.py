"""Counts the runs that are due in each coming stretch of time: the crowds and the gaps."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import pairwise

from onthedot.api.views.fire_agenda import Agenda, Group
from onthedot.schedule.expression.cron import Cron, Every
from onthedot.schedule.schedule import Schedule

MINUTE_SEC = 60
# Steps, about a second's walk or two. A caller who wants more asks for less time.
STEPS_MAX = 1_000_000
_ENDLESS = 1 << 40


@dataclass(slots=True)
class Heat:
    """Counts from `first` on, one for each stretch. The walk ends when its steps are used up."""

    first: int
    bucket_sec: int
    counts: list[int]
    steps_left: int

    @property
    def last(self) -> int:
        """Returns the end of the last stretch, which is not included."""
        return self.first + self.bucket_sec * len(self.counts)

    def note(self, due: int, number: int) -> None:
        """Counts `number` runs that are due then."""
        self.counts[(due - self.first) // self.bucket_sec] += number


def heat(
    agenda: Agenda, first: int, bucket_sec: int, buckets: int, *, steps: int = STEPS_MAX
) -> Heat:
    """Counts by due time, with jitter. What calendars exclude is not due."""
    found = Heat(first, bucket_sec, [0] * buckets, steps)
    for group in agenda.groups:
        _add(found, group)
    for at, _ in agenda.once:
        if found.first <= at < found.last:
            found.note(at, 1)
    return found


def same_minute(agenda: Agenda, instant: int) -> int:
    """Counts the schedules that have a slot in the minute of an instant."""
    begin = instant - instant % MINUTE_SEC
    return sum(
        len(group.members)
        for group in agenda.groups
        if (group.schedule.next(begin - 1) or _ENDLESS) < begin + MINUTE_SEC
    )


def _add(found: Heat, group: Group) -> None:
    offsets = Counter(member.offset_sec for member in group.members)
    schedule = group.with_calendars
    if set(offsets) == {0}:
        _add_at_once(found, schedule, offsets[0])
        return
    ahead = max(offsets)
    for slot, following in pairwise(_slots(found, schedule, found.first - ahead)):
        gap = following - slot - 1
        for offset, number in offsets.items():
            due = slot + min(offset, gap)
            if found.first <= due < found.last:
                found.note(due, number)


def _add_at_once(found: Heat, schedule: Schedule, number: int) -> None:
    """Counts a group without jitter: every member fires at the slot itself."""
    free = not schedule.calendars and schedule.start_at is None and schedule.end_at is None
    rule = schedule.rule
    if free and isinstance(rule, Every):
        for place, begin in enumerate(range(found.first, found.last, found.bucket_sec)):
            times = (begin + found.bucket_sec - 1) // rule.seconds - (begin - 1) // rule.seconds
            found.counts[place] += times * number
        return
    if free and isinstance(rule, Cron) and found.bucket_sec % MINUTE_SEC == 0:
        # All minutes are equal, so one second of each stands for the others.
        number *= rule.seconds.bit_count()
        schedule = replace(schedule, rule=replace(rule, seconds=rule.seconds & -rule.seconds))
    for slot, _ in pairwise(_slots(found, schedule, found.first)):
        found.note(slot, number)


def _slots(found: Heat, schedule: Schedule, first: int) -> Iterator[int]:
    """Walks the slots of the time, and one more: the last one's distance to its next matters."""
    slot = schedule.next(first - 1)
    while slot is not None and slot < found.last and found.steps_left > 0:
        found.steps_left -= 1
        yield slot
        slot = schedule.next(slot)
    yield _ENDLESS if slot is None else slot
