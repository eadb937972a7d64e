"""Which slots of a due task fire, which are recorded without firing, and where it goes on."""

from __future__ import annotations

from onthedot.dispatch.slot_plan import Firing, Plan, Unfired
from onthedot.records.tasks.misfire import grace_of, policy_ends
from onthedot.records.tasks.task_cursor import Due
from onthedot.records.timings import LATE_SEC, LOOK_AHEAD_SEC, ROWS_MAX
from onthedot.schedule.blackouts import closing
from onthedot.schedule.dst_gaps import skipped_gaps

# So many slots are looked at in one plan; the rest is planned by the next.
SLOTS_MAX = 50_000
# A day of minutes: what a range may stand for ahead of its time.
BLACKOUT_MAX = 1_440


def plan(due: Due, now: int, *, lost_for: str = "outside_grace") -> Plan:
    """Decide over every slot that is due up to the look-ahead, oldest first.

    `lost_for` is why a slot whose grace has run out was not caught up on in time.
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
    """Nothing else goes with a range but the gaps of the clock up to its end."""
    gaps = _gaps(due, [pair for pair in slots if pair[0] <= spanned.last])
    return Plan(due=due, unfired=[spanned, *gaps], following=due.due_after(spanned.last))


def _blackout(due: Due, slots: list[tuple[int, int]]) -> Unfired | None:
    """A blackout that begins at the cursor, as a range: what is to come in it may fire after all.

    For an edit may lift it before it is over, and a row beats a range.
    """
    first, due_at = slots[0]
    name = closing(due.closed, first)
    if not name:
        return None
    last, count = first, 1
    slot = due.schedule.next(first)
    while slot is not None and count < BLACKOUT_MAX and closing(due.closed, slot):
        last, count = slot, count + 1
        slot = due.schedule.next(slot)
    return Unfired(first, due_at, "skipped", "calendar", last, count, note=name)


def _before_blackout(
    due: Due, slots: list[tuple[int, int]], after: int | None, now: int
) -> tuple[list[tuple[int, int]], int | None]:
    """Go no further than to the next blackout to come: the plan after this one begins there."""
    for place, (slot, due_at) in enumerate(slots):
        if due_at > now and closing(due.closed, slot):
            return slots[:place], slot
    return slots, after


def _closed(due: Due, slots: list[tuple[int, int]]) -> list[Unfired]:
    """Record slots of the past that lie inside a calendar; `note` names it."""
    named = [(slot, due_at, closing(due.closed, slot)) for slot, due_at in slots if due.closed]
    return [
        Unfired(slot, due_at, "skipped", "calendar", note=name)
        for slot, due_at, name in named
        if name
    ]


def _gaps(due: Due, slots: list[tuple[int, int]]) -> list[Unfired]:
    """Record a gap with the first slot after it, so that every gap is in one plan and no other."""
    if not slots:
        return []
    before = due.schedule.prev(slots[0][0])
    gaps = skipped_gaps(due.schedule, slots[0][0] if before is None else before, slots[-1][0])
    return [Unfired(gap, gap, "skipped", "dst_gap") for gap in gaps]


def _first_slot(due: Due) -> int | None:
    """Find the slot that is due at the cursor; a moved schedule goes on at its next one."""
    slot = due.schedule.prev(due.next_run_at + 1)
    if slot is not None and due.schedule.due_at(slot) == due.next_run_at:
        return slot
    return due.schedule.next(due.next_run_at - 1)


def _sorted_out(
    due: Due, slots: list[tuple[int, int]], now: int, lost_for: str, *, more_due: bool
) -> tuple[list[Firing], list[Unfired]]:
    """Of late slots the policy decides; `more_due` says that newer ones than these are due."""
    origin = "task" if due.task_id.startswith("tsk_") else "schedule"
    caught_up = "task" if origin == "task" else "catchup"
    late = [pair for pair in slots if pair[1] < now - LATE_SEC]
    graced = [pair for pair in late if pair[1] >= now - grace_of(due.grace_sec)]
    lost = late[: len(late) - len(graced)]
    unfired = [Unfired(*pair, "missed", lost_for) for pair in lost]
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
    """Take more than a hundred slots of one reason together, and nothing else in the same plan.

    A range then begins where the cursor stands: two dispatchers that see the same cursor name the
    same range, and the second one adopts its end.
    """
    alike = [record for record in unfired if record.reason == unfired[0].reason]
    # Those of one reason stand before those of another: either group may be the long one.
    if max(len(alike), len(unfired) - len(alike)) <= ROWS_MAX:
        return None
    first = alike[0]
    return Unfired(first.slot, first.due, first.status, first.reason, alike[-1].slot, len(alike))
