"""Writes calendars, and recomputes the tasks that name them whenever a calendar changes."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any

from onthedot.records.access import audit_trail
from onthedot.records.access.audit_trail import By
from onthedot.records.conditional_writes import Outcome, Part
from onthedot.records.problems import Fault, Problem
from onthedot.records.tasks import calendar
from onthedot.records.tasks.bulk_operation import Loop
from onthedot.records.tasks.calendar import Stored
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import lifecycle
from onthedot.registry.edit import edit
from onthedot.schedule.blackouts import Blackout, calendars_of
from onthedot.schedule.calendar_times import Calendar
from onthedot.store import clock, conditional_writer, table_pages, table_reads
from onthedot.store.tasks import read as read_task

# Passes. The index lags, and tasks may be registered meanwhile: the second pass finds them.
PASSES = 2
_PAGE = 1_000
# Tasks. An edit of a task makes about ten calls.
PER_MINUTE = 300


def resolve(tenant_id: str, ids: Sequence[str]) -> tuple[Blackout, ...]:
    """Returns what these calendars exclude. An unknown id is the caller's mistake."""
    found = _by_id(tenant_id, ids)
    missing = [one for one in ids if one not in found]
    if missing:
        message = f"There is no calendar '{missing[0]}': expected the id of one of yours."
        fault = Fault(pointer="/calendars", code="bad_value", message=message, field="calendars")
        raise Problem("invalid_field", message, [fault])
    return tuple(found[one].blackout for one in dict.fromkeys(ids))


def read(tenant_id: str, calendar_id: str) -> Stored | None:
    """Reads a calendar."""
    item = table_reads.get(calendar.TABLE, calendar.key(tenant_id, calendar_id))
    return calendar.parse(item) if item else None


def compiled(tenant_id: str) -> dict[str, Calendar]:
    """Returns all compiled calendars of a tenant by id."""
    mine = calendar.partition(tenant_id)
    found = table_reads.rows(("task_id", mine), "part", ("0", "~"), table=calendar.TABLE)
    stored = [calendar.parse(item) for item in found]
    made = calendars_of([one.blackout for one in stored])
    return {one.calendar_id: calendar for one, calendar in zip(stored, made, strict=True)}


def write(seen: Stored | None, wanted: Stored, by: By) -> bool:
    """Puts a new calendar, or replaces the one that was seen. False: it has changed meanwhile."""
    what = "calendar.created" if seen is None else "calendar.changed"
    put = calendar.insert(wanted) if seen is None else calendar.replacement(seen, wanted)
    before = seen.fields() if seen else None
    told = audit_trail.insert(by, what, wanted.calendar_id, before=before, after=wanted.fields())
    return _together([put, told])


def remove(seen: Stored, by: By) -> bool:
    """Deletes a calendar. False: it has changed meanwhile."""
    told = audit_trail.insert(by, "calendar.deleted", seen.calendar_id, before=seen.fields())
    return _together([calendar.removal(seen), told])


def named_by(tenant_id: str, calendar_id: str) -> Iterator[dict[str, Any]]:
    """Walks the schedules that name a calendar, by the index."""
    after: Mapping[str, Any] | None = None
    while True:
        page = table_pages.by_tenant(f"{tenant_id}#s", limit=_PAGE, start=after)
        yield from (one for one in page.items if calendar_id in one.get("calendars", ()))
        after = page.last
        if after is None:
            return


def step(loop: Loop) -> Loop:
    """Recomputes schedules that name it, as many as the minute's limit allows."""
    now_ms = clock.now_ms()
    place: dict[str, Any] = json.loads(loop.cursor) if loop.cursor else {"pass": 1, "after": None}
    allowed, done = loop.allowance(now_ms), 0
    while done < allowed:
        page = table_pages.by_tenant(f"{loop.tenant_id}#s", limit=_PAGE, start=place["after"])
        calendar_id = loop.wanted["calendar_id"]
        naming = [one for one in page.items if calendar_id in one.get("calendars", ())]
        taken = naming[: allowed - done]
        done += sum(_recompute(one["task_id"]) for one in taken)
        if len(taken) < len(naming):
            last = taken[-1]
            names = ("listed", "created_at", "task_id", "part")
            place = {**place, "after": {name: last[name] for name in names}}
            break
        place = {**place, "after": page.last}
        if page.last is None:
            return _passed(loop, place["pass"], done, now_ms)
    return replace(loop, cursor=json.dumps(place), **loop.counted(now_ms, done=done))


def _passed(loop: Loop, number: int, done: int, now_ms: int) -> Loop:
    counted = replace(loop, **loop.counted(now_ms, done=done))
    if number == PASSES:
        return replace(counted, status="done", ended_ms=now_ms)
    return replace(counted, cursor=json.dumps({"pass": number + 1, "after": None}))


def _recompute(task_id: str) -> bool:
    """Edits a task's blackouts. Another blackout is another schedule, valid from now on."""
    known = read_task(task_id)
    if known is None or known.task.status == "deleted":
        return False
    if _blackouts(known.task) == known.task.blackouts:
        return False
    return edit(task_id, _reclosed) is not None


def _reclosed(task: Task, now: int) -> Task:
    return lifecycle.reclosed(task, now, _blackouts(task))


def _blackouts(task: Task) -> tuple[Blackout, ...]:
    """Returns the task's blackouts. A calendar that is gone excludes nothing."""
    ids: Sequence[str] = task.shown.get("calendars", ())
    found = _by_id(task.tenant_id, ids)
    return tuple(found[one].blackout for one in dict.fromkeys(ids) if one in found)


def _by_id(tenant_id: str, ids: Sequence[str]) -> dict[str, Stored]:
    if not ids:
        return {}
    keys = [calendar.key(tenant_id, one) for one in dict.fromkeys(ids)]
    found = table_reads.get_all(calendar.TABLE, keys)
    return {item["part"]: calendar.parse(item) for item in found}


def _together(parts: Sequence[Part]) -> bool:
    return conditional_writer.write_together(parts) is Outcome.DONE
