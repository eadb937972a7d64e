"""What fires next, over all schedules and tasks of a tenant."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import islice
from typing import Any

from aws_lambda_powertools.event_handler import Response

from onthedot.adapters import clock, listing
from onthedot.api.answers import Handlers
from onthedot.api.asking import tenant
from onthedot.api.instants import From, To, window
from onthedot.api.pages import Cursor, Limit, Listing
from onthedot.core import upcoming as comings
from onthedot.core.instants import parse_nominal
from onthedot.core.problems import Problem
from onthedot.core.upcoming import Coming, coming
from onthedot.flows import calendars

_DAY_SEC = 86_400
_WINDOW_MAX_SEC = 31 * _DAY_SEC
TASKS_MAX = 10_000
_PAGE = 1_000


def index(
    from_: From = None, to: To = None, *, limit: Limit = 50, cursor: Cursor = None
) -> Response[str]:
    """List the coming fires, the next one first; of the next 24 hours by default."""
    now = clock.now_ms() // 1000
    first, last = window(from_, to, (now, now + _DAY_SEC))
    if last - first > _WINDOW_MAX_SEC:
        raise Problem("invalid_field", "More than 31 days lie between: expected a shorter time.")
    filters = {"from": from_, "to": to}
    pages = Listing(known={}, names=("at", "task_id"), filters=filters)
    begun = pages.start(cursor)
    after = (parse_nominal(begun["at"]), begun["task_id"]) if begun else None
    listed = list(islice(_listed(), TASKS_MAX + 1))
    known = _known(listed[:TASKS_MAX])
    found = list(islice(comings.fires(known, max(first, now), last, after), limit + 1))
    shown, more = found[:limit], len(found) > limit
    return pages.answer(shown, shown[-1] if more else None, complete=len(listed) <= TASKS_MAX)


def _listed() -> Iterator[dict[str, Any]]:
    for kind in ("s", "t"):
        after: Mapping[str, Any] | None = None
        while True:
            page = listing.by_tenant(f"{tenant()}#{kind}", limit=_PAGE, start=after)
            yield from page.items
            after = page.last
            if after is None:
                break


def _known(listed: list[dict[str, Any]]) -> dict[str, Coming]:
    named = any(item.get("calendars") for item in listed)
    closed = calendars.compiled(tenant()) if named else {}
    read = (coming(item, closed) for item in listed)
    return {one.task_id: one for one in read if one}


HANDLERS: Handlers = {"GET /v1/upcoming": index}
