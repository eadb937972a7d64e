"""Schedules by pages, filtered by what the index carries of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from onthedot.adapters import clock, listing, tables
from onthedot.api.answers import Handlers
from onthedot.api.asking import tenant
from onthedot.api.pages import Cursor, Limit, Listing
from onthedot.core import filters, schedule_view
from onthedot.core import run as runs
from onthedot.core.schedule import Schedule

Status = Annotated[Literal["active", "paused", "completed", "invalid"] | None, Query()]
Text = Annotated[str | None, Query(min_length=1, max_length=200)]
# How many entries a filter may look at for one page, which may be short then, or empty.
LOOKED_AT_MAX = 1_000
_PAGE = 200
Chosen = tuple[Mapping[str, Any], Schedule]


def index(
    limit: Limit = 50,
    cursor: Cursor = None,
    *,
    status: Status = None,
    tag: Text = None,
    target: Text = None,
    handler: Text = None,
    q: Text = None,
    managed_by: Text = None,
) -> Response[str]:
    """List schedules, newest first. A page may be short or empty while there is a next one."""
    given = {
        "status": status,
        "tag": tag,
        "target": target,
        "handler": handler,
        "q": q,
        "managed_by": managed_by,
    }
    wanted = {name: value for name, value in given.items() if value is not None}
    pages = Listing(
        known={"listed": f"{tenant()}#s", "part": "spec"},
        names=("created_at", "task_id"),
        filters=wanted,
    )
    found, last = _chosen(pages.start(cursor), wanted, limit)
    return pages.answer(_entries(found, clock.now_ms() // 1000), last)


def _chosen(
    last: Mapping[str, Any] | None, wanted: Mapping[str, str], limit: int
) -> tuple[list[Chosen], Mapping[str, Any] | None]:
    """Walk the index until the page is full; give it, and behind what the next one begins."""
    now = clock.now_ms() // 1000
    found: list[Chosen] = []
    for _ in range(LOOKED_AT_MAX // _PAGE if wanted else 1):
        page = listing.by_tenant(f"{tenant()}#s", limit=_PAGE if wanted else limit, start=last)
        for item in page.items:
            schedule = schedule_view.listed(item)
            if filters.holds(schedule_view.entry(item, schedule, now), wanted):
                found.append((item, schedule))
            if len(found) == limit:
                at_end = item is page.items[-1]
                return found, page.last if at_end else item
        last = page.last
        if last is None:
            break
    return found, last


def _entries(chosen: Sequence[Chosen], now: int) -> list[dict[str, Any]]:
    """Add what became of the newest slots: their rows' keys are computed, no index is needed."""
    keys = [
        {"task_id": item["task_id"], "scheduled_for": key}
        for item, schedule in chosen
        for key in schedule_view.recent_keys(schedule, now)
    ]
    rows = tables.get_many({runs.TABLE: keys})[runs.TABLE] if keys else []
    newest = sorted(rows, key=lambda row: str(row["scheduled_for"]))
    last = {run.task_id: run for row in newest if (run := runs.readable(row))}
    return [
        schedule_view.entry(item, schedule, now, last.get(item["task_id"]))
        for item, schedule in chosen
    ]


HANDLERS: Handlers = {"GET /v1/schedules": index}
