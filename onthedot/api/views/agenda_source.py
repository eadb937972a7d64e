"""Reads what a tenant has coming from the index of its tasks. Long lists are cached."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.api.views import fire_agenda
from onthedot.api.views.fire_agenda import Agenda
from onthedot.registry import calendar_edits
from onthedot.schedule.time.instants import nominal
from onthedot.store import aws, clock, table_pages

# Tasks, a tenant's usual quota: about 40 MB of the index.
LISTED_MAX = 100_000
# A list of one page is read each time. Reading a longer one takes seconds.
_ANEW_UP_TO = 1_000
_MANY = 10_000
_KEPT_MS, _MANY_KEPT_MS = 60_000, 300_000
# Seconds that a caller waits. What was not read by then is reported as missing.
_PATIENCE_SEC = 15.0
_REMEMBERED_MAX = 200_000
_known: dict[str, Agenda] = {}


def coming(tenant_id: str) -> Agenda:
    """Returns all of it, at most a minute old; for more than ten thousand tasks, five minutes."""
    seen = _known.get(tenant_id)
    if seen and seen.size > _ANEW_UP_TO and _is_fresh(seen):
        return seen
    return _read(tenant_id, LISTED_MAX)


def neighbours(tenant_id: str) -> Agenda:
    """Returns it for a quick look: what is known, or what can be read within a second."""
    seen = _known.get(tenant_id)
    return seen if seen and _is_fresh(seen) else _read(tenant_id, _MANY)


def forget() -> None:
    """Makes the next call read all again."""
    _known.clear()


def _is_fresh(seen: Agenda) -> bool:
    kept_ms = _KEPT_MS if seen.size <= _MANY else _MANY_KEPT_MS
    return clock.now_ms() - seen.read_ms < kept_ms


def _read(tenant_id: str, most: int) -> Agenda:
    now_ms = clock.now_ms()
    since = nominal(now_ms // 1000)

    def listed(kind: str) -> tuple[list[dict[str, Any]], bool]:
        return _listed(f"{tenant_id}#{kind}", since, most)

    (schedules, all_schedules), (tasks, all_tasks) = aws.in_parallel(listed, ("s", "t"))
    named = any(item.get("calendars") for item in schedules)
    known = calendar_edits.compiled(tenant_id) if named else {}
    found = Agenda(
        read_ms=now_ms,
        complete=all_schedules and all_tasks,
        groups=fire_agenda.groups(schedules, known),
        once=fire_agenda.once(tasks),
    )
    _remember(tenant_id, found)
    return found


def _listed(listed: str, since: str, most: int) -> tuple[list[dict[str, Any]], bool]:
    """Reads the newest, and tells whether they are all."""
    over = clock.monotonic() + _PATIENCE_SEC
    found: list[dict[str, Any]] = []
    after: Mapping[str, Any] | None = None
    while len(found) <= most and clock.monotonic() <= over:
        page = table_pages.coming(listed, fire_agenda.CARRIED, since=since, start=after)
        found += page.items
        after = page.last
        if after is None:
            break
    return found[:most], after is None and len(found) <= most


def _remember(tenant_id: str, found: Agenda) -> None:
    """Keeps the latest, and only as many as fit."""
    _known.pop(tenant_id, None)
    _known[tenant_id] = found
    while len(_known) > 1 and sum(one.size for one in _known.values()) > _REMEMBERED_MAX:
        del _known[next(iter(_known))]
