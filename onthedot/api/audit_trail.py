"""The audit trail: who did what, when, with which key."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from onthedot.adapters import clock, listing
from onthedot.api.answers import Handlers
from onthedot.api.asking import tenant
from onthedot.api.pages import Cursor, Limit, Listing
from onthedot.core import trail

_MONTHS = trail.KEPT_SEC // (28 * 86_400) + 1
# A filter looks at no more than so many pages for one of ours.
_PAGES = 4
_PAGE = 200
_SHOWN = ("at", "key_id", "what", "about", "request_id", "before", "after")
Word = Annotated[str | None, Query(min_length=1, max_length=128)]


def index(
    what: Word = None,
    about: Word = None,
    key_id: Word = None,
    *,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response[str]:
    """List what was written, the newest first. With filters a page may be short or empty."""
    given = {"what": what, "about": about, "key_id": key_id}
    wanted = {name: value for name, value in given.items() if value is not None}
    pages = Listing(known={}, names=("pk", "sk"), filters=wanted)
    found, last = _page(wanted, limit, pages.start(cursor))
    return pages.answer([{name: item[name] for name in _SHOWN} for item in found], last)


def _page(
    wanted: Mapping[str, str], limit: int, start: Mapping[str, Any] | None
) -> tuple[list[dict[str, Any]], Mapping[str, Any] | None]:
    """Go through the months, from the newest or from where the last page ended."""
    months = _months()
    month = str(start["pk"]).rsplit("#", 1)[1] if start else months[0]
    found: list[dict[str, Any]] = []
    looks = 0
    for each in months[months.index(month) if month in months else 0 :]:
        start = start if start and str(start["pk"]).endswith(each) else None
        while True:
            page = listing.audit(f"audit#{tenant()}#{each}", limit=_PAGE, start=start)
            fitting = [item for item in page.items if _fits(item, wanted)]
            taken = fitting[: limit - len(found)]
            found += taken
            if len(taken) < len(fitting):
                return found, found[-1]
            start, looks = page.last, looks + 1
            if start is None:
                break
            if looks >= _PAGES or len(found) == limit:
                return found, start
    return found, None


def _fits(item: Mapping[str, Any], wanted: Mapping[str, str]) -> bool:
    return all(item[name] == value for name, value in wanted.items())


def _months() -> list[str]:
    """Name the months that something may be kept of, the newest first."""
    first = datetime.fromtimestamp(clock.now_ms() / 1000, UTC).replace(day=1)
    months = [f"{first:%Y-%m}"]
    for _ in range(_MONTHS):
        first = (first - timedelta(days=1)).replace(day=1)
        months.append(f"{first:%Y-%m}")
    return months


HANDLERS: Handlers = {"GET /v1/audit": index}
