"""Decides for a due task which slots fire, which are recorded without firing, and what is next.

A plan says that as values. Slots that a clock change skips are recorded, too.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.tasks.misfire import grace_of, policy_ends
from onthedot.records.tasks.task_cursor import Due
from onthedot.records.timings import LATE_SEC, LOOK_AHEAD_SEC, ROWS_MAX
from onthedot.schedule.blackouts import closing
from onthedot.schedule.dst_stretches import CORRECTION_SEC
from onthedot.schedule.expression.cron import Every
from onthedot.schedule.schedule import Schedule
from onthedot.schedule.time.zones import zone
from onthedot.schedule.walls import walls_of
from onthedot.schedule.words.dst_notes import jump_at


def skipped_gaps(schedule: Schedule, after: int, until: int) -> list[int]:
    """Returns the ends of gaps that removed slots. Several slots in one gap count once."""
    if isinstance(schedule.rule, Every) or schedule.policy.elapsed or schedule.policy.gap != "skip":
        return []
    place = zone(schedule.timezone)
    starts, offsets = place.segments.starts, place.segments.offsets
    walls = walls_of(schedule.rule)
    found = []
    for at in range(place.segment_at(after) + 1, place.segment_at(until) + 1):
        jump = jump_at(place, at)
        wall_to = starts[at] + offsets[at]
        if 0 < jump <= CORRECTION_SEC and walls.next(wall_to - jump) < wall_to:
            found.append(starts[at])
    return [gap for gap in found if not schedule.matches(gap)]


@dataclass(frozen=True, slots=True)
class Firing:
    """A slot to be claimed and sent."""

    slot: int
    due: int
    origin: str
    # It waits behind late slots of its task.
    behind: bool = False


@dataclass(frozen=True, slots=True)
class Unfired:
    """A slot, or a run of slots up to `last`, whose outcome is recorded without a run."""

    slot: int
    due: int
    status: Status
    reason: Reason
    # The last slot of a range, and the number of its slots. Both are 0 for a single slot.
    last: int = 0
    count: int = 0
    origin: str = "schedule"
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What one look at a due task decides. `following` is None if no slot is left."""

    due: Due
    firings: list[Firing] = field(default_factory=list)
    unfired: list[Unfired] = field(default_factory=list)
    following: int | None = None
    # How many of the next slots may fire is known only then. They are planned at once.
    goes_on: bool = False

    @property
    def range(self) -> Unfired | None:
        """Returns the range of the plan. The rest of such a plan are gaps of the clock."""
        return self.unfired[0] if self.unfired and self.unfired[0].count else None

    def within_bound(self, left: int) -> Plan:
        """Lets only as many fire as are left. What is recorded before them goes first, alone.

        A dispatcher that died may have fired one of those on time without counting it.
        """
        if not self.firings:
            return self
        first, last = self.firings[0], self.firings[:left][-1]
        before = [record for record in self.unfired if record.slot < first.slot]
        if before:
            return Plan(due=self.due, unfired=before, following=first.due, goes_on=True)
        if len(self.firings) < left:
            return self
        return Plan(
            due=self.due,
            firings=self.firings[:left],
            unfired=[record for record in self.unfired if record.slot < last.slot],
            following=self.due.due_after(last.slot),
            goes_on=True,
        )


# Slots that one plan looks at. The next plan continues from there.
SLOTS_MAX = 50_000
# Slots, as many as a day has minutes: the most that a blackout's range covers ahead of its time.
BLACKOUT_MAX = 1_440


def plan(due: Due, now: int, *, lost_for: Reason = Reason.OUTSIDE_GRACE) -> Plan:
    """Decides on every slot that is due up to the look-ahead, oldest first.

    `lost_for` is the reason for slots whose grace ran out before they were caught up on.
    """
    if due.spent:
        return Plan(due=due)
    until = now + LOOK_AHEAD_SEC
    schedule = due.schedule
    slots: list[tuple[int, int]] = []
    slot = _first_slot(due)
    while slot is not None and len(slots) < SLOTS_MAX:
        due_at = schedule.due_at(slot)
        if due_at > until:
            break
        slots.append((slot, due_at))
        slot = schedule.next(slot)
    if due.closed and slots:
        if spanned := _blackout(due, slots):
            return _as_range(due, slots, spanned)
        slots, slot = _before_blackout(due, slots, slot, now)
    closed = _closed(due, slots)
    excluded = {record.slot for record in closed}
    open_slots = [pair for pair in slots if pair[0] not in excluded]
    more_due = slot is not None and schedule.due_at(slot) <= now
    firings, unfired = _sorted_out(due, open_slots, now, lost_for, more_due=more_due)
    if spanned := _leading_range(unfired):
        return _as_range(due, slots, spanned)
    unfired = sorted([*unfired, *closed, *_gaps(due, slots)], key=lambda record: record.slot)
    following = None if slot is None else schedule.due_at(slot)
    planned = Plan(due=due, firings=firings, unfired=unfired, following=following)
    return planned if due.runs_left is None else planned.within_bound(due.runs_left)


def _as_range(due: Due, slots: list[tuple[int, int]], spanned: Unfired) -> Plan:
    """Plans a range alone, except for the gaps of the clock up to its end."""
    gaps = _gaps(due, [pair for pair in slots if pair[0] <= spanned.last])
    return Plan(due=due, unfired=[spanned, *gaps], following=due.due_after(spanned.last))


def _blackout(due: Due, slots: list[tuple[int, int]]) -> Unfired | None:
    """Returns a blackout that begins at the cursor as a range, with slots to come.

    A later edit may still lift it: then the slots to come fire, because a row beats a range.
    """
    first, due_at = slots[0]
    name = closing(due.closed, first) if due.closed else ""
    if not name:
        return None
    last, count = first, 1
    slot = due.schedule.next(first)
    while slot is not None and count < BLACKOUT_MAX and closing(due.closed, slot):
        last, count = slot, count + 1
        slot = due.schedule.next(slot)
    return Unfired(first, due_at, Status.SKIPPED, Reason.CALENDAR, last, count, note=name)


def _before_blackout(
    due: Due, slots: list[tuple[int, int]], after: int | None, now: int
) -> tuple[list[tuple[int, int]], int | None]:
    """Stops before the next blackout to come. The next plan begins there."""
    for place, (slot, due_at) in enumerate(slots):
        if due.closed and due_at > now and closing(due.closed, slot):
            return slots[:place], slot
    return slots, after


def _closed(due: Due, slots: list[tuple[int, int]]) -> list[Unfired]:
    """Records past slots that lie inside a calendar. `note` names the calendar."""
    named = [(slot, due_at, closing(due.closed, slot)) for slot, due_at in slots if due.closed]
    return [
        Unfired(slot, due_at, Status.SKIPPED, Reason.CALENDAR, note=name)
        for slot, due_at, name in named
        if name
    ]


def _gaps(due: Due, slots: list[tuple[int, int]]) -> list[Unfired]:
    """Records a gap with the first slot after it, so that each gap is in exactly one plan."""
    if not slots:
        return []
    before = due.schedule.prev(slots[0][0])
    gaps = skipped_gaps(due.schedule, slots[0][0] if before is None else before, slots[-1][0])
    return [Unfired(gap, gap, Status.SKIPPED, Reason.DST_GAP) for gap in gaps]


def _first_slot(due: Due) -> int | None:
    """Returns the slot that is due at the cursor. If the schedule has moved, the next one."""
    slot = due.schedule.prev(due.next_run_at + 1)
    if slot is not None and due.schedule.due_at(slot) == due.next_run_at:
        return slot
    return due.schedule.next(due.next_run_at - 1)


def _sorted_out(
    due: Due, slots: list[tuple[int, int]], now: int, lost_for: Reason, *, more_due: bool
) -> tuple[list[Firing], list[Unfired]]:
    """Lets the misfire policy decide on late slots. `more_due`: newer slots than these are due."""
    origin = "task" if due.task_id.startswith("tsk_") else "schedule"
    caught_up = "task" if origin == "task" else "catchup"
    late = [pair for pair in slots if pair[1] < now - LATE_SEC]
    graced = [pair for pair in late if pair[1] >= now - grace_of(due.grace_sec)]
    lost = late[: len(late) - len(graced)]
    unfired = [Unfired(*pair, Status.MISSED, lost_for) for pair in lost]
    newest_due = None if more_due else max((pair[0] for pair in slots if pair[1] <= now), default=0)
    firings = []
    for pair in graced:
        if ended := policy_ends(due.misfire, newer=pair[0] != newest_due):
            unfired.append(Unfired(*pair, *ended))
        else:
            firings.append(Firing(*pair, caught_up))
    behind = due.misfire == "all" and any(each.origin == "catchup" for each in firings)
    firings += [Firing(*pair, origin, behind=behind) for pair in slots[len(late) :]]
    return firings, unfired


def _leading_range(unfired: list[Unfired]) -> Unfired | None:
    """Makes a range of more than a hundred slots with one reason. It is planned alone.

    So a range begins at the cursor: two dispatchers that see the same cursor name the same range,
    and the second one adopts the first one's end.
    """
    alike = [record for record in unfired if record.reason == unfired[0].reason]
    # Slots of one reason come before those of another. Either group may be the long one.
    if max(len(alike), len(unfired) - len(alike)) <= ROWS_MAX:
        return None
    first = alike[0]
    return Unfired(first.slot, first.due, first.status, first.reason, alike[-1].slot, len(alike))
