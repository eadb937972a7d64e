"""Shows a schedule as callers see it: its definition, what follows from it, its last run."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import asdict, replace
from itertools import islice, takewhile
from typing import Any

from onthedot.records.keys import slot_key
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_cursor import Due
from onthedot.records.tasks.task_fields import LISTED, STAMPS
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import definition
from onthedot.registry.definition import fields_of, grace_short, pause_near, payload_unsent
from onthedot.schedule.calendar_times import Calendar
from onthedot.schedule.schedule import Schedule
from onthedot.schedule.time import zones
from onthedot.schedule.time.instants import nominal
from onthedot.schedule.words.expression_warnings import warnings_of
from onthedot.schedule.words.phrases import explanation

# Rows. The newest slot may still wait for its due time, and a pause may skip the one before.
RECENT_SLOTS = 2
# Slots that are counted between the cursor and a time far ahead of it.
COUNTED_MAX = 100_000


def last_seen(next_run_at: int, now: int, *, exhausted: bool) -> int:
    """Returns the time of its last possible slot. Exhausted, it has none behind its cursor."""
    return min(now, next_run_at - 1) if exhausted else now


def recent_keys(schedule: Schedule, now: int, created_at: str = "") -> list[str]:
    """Returns the keys of rows that may hold its last run, newest first, since its creation."""
    keys: list[str] = []
    slot = schedule.prev(now + 1)
    while slot is not None and len(keys) < RECENT_SLOTS and slot_key(slot) > created_at:
        keys.append(slot_key(slot))
        slot = schedule.prev(slot)
    return keys


def view(
    task: Task, now: int, *, last: Run | None = None, due: Due | None = None, failures: int = 0
) -> dict[str, Any]:
    """Shows it completely. The cursor is read only if runs are counted."""
    fields = fields_of(task)
    schedule = task.schedule
    text = fields["cron"] or f"@every {fields['every_sec']}s"
    return {
        "task_id": task.task_id,
        "tenant_id": task.tenant_id,
        "version": task.version,
        "schedule_version": task.schedule_version,
        **fields,
        "paused": task.shown.get("paused"),
        "explanation": explanation(with_calendars(schedule, task.closed), task.max_runs),
        **coming(task, now, due),
        "runs_left": runs_left(task, due),
        "last_run": _last_run(last),
        "warnings": [
            *_dying(task, failures),
            *map(asdict, payload_unsent(task.target, fields["payload"])),
            *map(asdict, grace_short(task.misfire_grace_sec)),
            *(asdict(each) for each in warnings_of(schedule, text, now, seconds=fields["seconds"])),
        ],
        "tzdata": zones.VERSION,
        **{name: task.shown.get(name) for name in STAMPS},
    }


def _dying(task: Task, failures: int) -> list[dict[str, Any]]:
    most = definition.near(task, failures)
    return [asdict(pause_near(failures, most))] if most else []


def runs_left(task: Task, due: Due | None) -> int | None:
    """Returns how many slots may still be claimed. Without a cursor yet it is all of them."""
    if due is None or due.runs_left is None or task.max_runs is None:
        return task.max_runs
    return max(0, due.runs_left)


def to_come(task: Task, after: int, now: int, due: Due | None = None) -> Iterator[int]:
    """Walks the slots that will fire after an instant: those claimed already, and the rest."""
    schedule = with_calendars(task.schedule, task.closed)
    left = runs_left(task, due)
    if task.status == "completed":
        return
    if left is None:
        yield from schedule.slots(after)
        return
    # From here on slots are not claimed yet. Slots that a pause skips do not count.
    edge = task.effective_from if due is None else due.next_run_at
    unclaimed = takewhile(lambda slot: slot <= after, _due_from(schedule, max(edge, now)))
    left -= sum(1 for _ in islice(unclaimed, min(left, COUNTED_MAX)))
    for slot in schedule.slots(after):
        if schedule.due_at(slot) >= edge:
            if left <= 0:
                return
            left -= 1
        yield slot


def _due_from(schedule: Schedule, edge: int) -> Iterator[int]:
    first = edge - schedule.jitter_offset_sec - 1
    return (slot for slot in schedule.slots(first) if schedule.due_at(slot) >= edge)


def with_calendars(schedule: Schedule, calendars: Sequence[Calendar]) -> Schedule:
    """Returns the schedule without the slots that calendars exclude."""
    return replace(schedule, calendars=tuple(calendars)) if calendars else schedule


def listed(item: Mapping[str, Any], calendars: Mapping[str, Calendar] | None = None) -> Schedule:
    """Compiles what the index carries of a schedule: it takes microseconds and needs no column."""
    fields = {name: item.get(name, default) for name, default in LISTED.items()}
    known = calendars or {}
    closed = [known[one] for one in fields["calendars"] if one in known]
    return with_calendars(definition.compiled(fields, item["task_id"]), closed)


def entry(
    item: Mapping[str, Any], schedule: Schedule, now: int, last: Run | None = None
) -> dict[str, Any]:
    """Shows it in a list, by what the index carries."""
    fields = {name: item.get(name, default) for name, default in LISTED.items()}
    target = {"type": item.get("target_type")}
    return {
        "task_id": item["task_id"],
        "version": item["version"],
        **fields,
        "target": target | ({"handler": item["handler"]} if "handler" in item else {}),
        **_coming(item["status"], schedule.next(now)),
        "last_run": _last_run(last),
        "created_at": item["created_at"],
    }


def coming(task: Task, now: int, due: Due | None = None) -> dict[str, str | None]:
    """Returns when it fires next, or would if it were not paused."""
    return _coming(task.status, next(to_come(task, now, now, due), None))


def _coming(status: str, slot: int | None) -> dict[str, str | None]:
    at = None if slot is None else nominal(slot)
    return {
        "next_run_at": at if status == "active" else None,
        "would_run_at": at if status == "paused" else None,
    }


def _last_run(last: Run | None) -> Mapping[str, Any] | None:
    """Shows the outcome of the newest slot that was claimed."""
    if last is None:
        return None
    return {"run_id": last.run_id, "scheduled_for": last.key, "status": last.life.status.value}
