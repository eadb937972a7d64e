"""Gives an outcome to slots that nobody claimed, before an edit leaves them behind."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby, islice

from onthedot.dispatch.plan_effects import list_the_missed
from onthedot.records.keys import range_key
from onthedot.records.runs import run_writes
from onthedot.records.runs.run_row import End, Life, Run
from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.tasks.task_items import Known
from onthedot.records.tasks.task_spec import Task
from onthedot.records.timings import ROWS_MAX
from onthedot.schedule.blackouts import closing
from onthedot.schedule.schedule import UNREADABLE
from onthedot.schedule.time.instants import nominal
from onthedot.store import conditional_writer, ids

# Slots that a tenth of a second can walk.
COUNT_MAX = 100_000
_OUTCOMES = {
    "paused": (Status.SKIPPED, Reason.PAUSED),
    "invalid": (Status.MISSED, Reason.QUARANTINED),
}


def close_the_books(known: Known, now: int) -> None:
    """Records the slots that a write is about to leave behind. Claimed slots keep their rows."""
    task = known.task
    slots = list(islice(_open_slots(known, now), COUNT_MAX + 1))
    if not slots:
        return
    if len(slots) > ROWS_MAX:
        records = _ranges(known, slots, now)
    else:
        records = [_record(task, slot, now, closing(task.closed, slot)) for slot in slots]
    list_the_missed(records, by=ids.token(), now_ms=now * 1000)
    conditional_writer.surely([run_writes.insert(record, now_ms=now * 1000) for record in records])


def _ranges(known: Known, slots: Sequence[int], now: int) -> list[Run]:
    """Makes one row for each stretch inside or outside a calendar, or one row if they are many.

    Slots that are too many for one call are not counted: then the last row has no count.
    """
    task = known.task
    stretches = [(name, [*each]) for name, each in groupby(slots, partial(closing, task.closed))]
    if len(stretches) > ROWS_MAX:
        stretches = [("", [*slots])]
    records = [
        replace(
            _record(task, each[0], now, calendar),
            key=range_key(each[0], known.due.version),
            range_to=nominal(each[-1]),
            range_count=len(each),
        )
        for calendar, each in stretches
    ]
    if len(slots) > COUNT_MAX:
        last = task.schedule.prev(now + 1) or now
        records[-1] = replace(records[-1], range_to=nominal(last), range_count=0)
    return records


def _open_slots(known: Known, now: int) -> Iterator[int]:
    """Yields the slots that are due by now: since the pause, or from the cursor on."""
    task = known.task
    if task.status == "paused":
        # Earlier slots were recorded by the pause, or by an edit during it.
        since = max(task.paused_at, task.effective_from) + 1
    elif known.indexed or task.status == "invalid":
        since = known.due.next_run_at
    else:
        return
    try:
        schedule = task.schedule
    except UNREADABLE:
        # Edits must be able to repair it, and deletes to end it. Its slots are unknown.
        return
    slot = schedule.prev(since + 1)
    if slot is None or schedule.due_at(slot) < since:
        slot = schedule.next(since - 1)
    while slot is not None and schedule.due_at(slot) <= now:
        yield slot
        slot = schedule.next(slot)


def _record(task: Task, slot: int, now: int, calendar: str) -> Run:
    status, reason = _OUTCOMES.get(task.status, (Status.MISSED, Reason.UNACCOUNTED))
    if calendar:
        status, reason = Status.SKIPPED, Reason.CALENDAR
    life = Life(
        status=status,
        reason=reason,
        tv=task.version,
        schedule_version=task.schedule_version,
        due_ms=task.schedule.due_at(slot) * 1000,
        end=End(ended_ms=now * 1000, note=calendar),
    )
    return Run(
        task_id=task.task_id,
        key=nominal(slot),
        tenant_id=task.tenant_id,
        origin="schedule",
        queue=task.queue,
        life=life,
    )
