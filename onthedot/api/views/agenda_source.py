"""Reading what a tenant has coming, from the index of its tasks; long lists once a while only."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.api.views import fire_agenda
from onthedot.api.views.fire_agenda import Agenda
from onthedot.registry import calendar_edits
from onthedot.schedule.time.instants import nominal
from onthedot.store import aws, clock, table_pages

# A tenant's quota, unless it was given more: some 40 MB of the index.
LISTED_MAX = 100_000
# A list that one page holds is read each time; reading a longer one takes seconds.
_ANEW_UP_TO = 1_000
_MANY = 10_000
_KEPT_MS, _MANY_KEPT_MS = 60_000, 300_000
# A caller waits no longer; what has not been read by then is said to be missing.
_PATIENCE_SEC = 15.0
_REMEMBERED_MAX = 200_000
_known: dict[str, Agenda] = {}


def coming(tenant_id: str) -> Agenda:
    """Give all of it, at most a minute old; of more than ten thousand tasks, five minutes."""
    seen = _known.get(tenant_id)
    if seen and seen.size > _ANEW_UP_TO and _is_fresh(seen):
        return seen
    return _read(tenant_id, LISTED_MAX)


def neighbours(tenant_id: str) -> Agenda:
    """Give it for a look in passing: what is known, or as much as is read within a second."""
    seen = _known.get(tenant_id)
    return seen if seen and _is_fresh(seen) else _read(tenant_id, _MANY)


def forget() -> None:
    """Read all again."""
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
    """Read the newest, and tell whether they are all."""
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
    """Keep the latest, and no more of them than fit."""
    _known.pop(tenant_id, None)
    _known[tenant_id] = found
    while len(_known) > 1 and sum(one.size for one in _known.values()) > _REMEMBERED_MAX:
        del _known[next(iter(_known))]
