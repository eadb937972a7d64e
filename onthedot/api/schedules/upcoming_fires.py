"""Shows what fires next in all schedules and tasks of a tenant: one by one, or counted."""

from __future__ import annotations

from itertools import islice
from typing import Annotated

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from onthedot.api.door import responses
from onthedot.api.door.pages import Cursor, Limit, Listing
from onthedot.api.door.query_times import From, To, window
from onthedot.api.door.request import tenant
from onthedot.api.door.responses import Handlers
from onthedot.api.views import agenda_source
from onthedot.api.views.load_map import MINUTE_SEC, heat
from onthedot.api.views.merged_fires import fires
from onthedot.records.problems import Problem
from onthedot.schedule.time.instants import moment, nominal, parse_nominal
from onthedot.store import clock

_DAY_SEC = 86_400
_WINDOW_MAX_SEC = 31 * _DAY_SEC
# A week in steps of five minutes.
_BUCKETS_MAX = 7 * 288
Bucket = Annotated[int, Query(ge=MINUTE_SEC, le=_DAY_SEC, multiple_of=MINUTE_SEC)]


def index(
    from_: From = None, to: To = None, *, limit: Limit = 50, cursor: Cursor = None
) -> Response[str]:
    """List the coming fires, the next one first; of the next 24 hours by default."""
    now, first, last = _window(from_, to)
    pages = Listing(known={}, names=("at", "task_id"), until=last)
    begun = pages.start(cursor)
    after = (parse_nominal(begun["at"]), begun["task_id"]) if begun else None
    known = agenda_source.coming(tenant())
    found = list(islice(fires(known, max(first, now), last, after), limit + 1))
    shown, more = found[:limit], len(found) > limit
    return pages.answer(
        shown,
        shown[-1] if more else None,
        complete=known.complete,
        as_of=moment(known.read_ms),
    )


def by_time(from_: From = None, to: To = None, bucket_sec: Bucket = 300) -> Response[str]:
    """Count the coming runs by the time they are due; of the next 24 hours by default."""
    now, first, last = _window(from_, to)
    begin = max(first, now) // bucket_sec * bucket_sec
    buckets = max(1, -(-(last - begin) // bucket_sec))
    if buckets > _BUCKETS_MAX:
        message = f"It would be {buckets:,} buckets: expected {_BUCKETS_MAX:,} at most."
        raise Problem("invalid_field", message)
    known = agenda_source.coming(tenant())
    found = heat(known, begin, bucket_sec, buckets)
    most = max(found.counts)
    hottest = begin + found.counts.index(most) * bucket_sec
    told = {
        "from": nominal(begin),
        "to": nominal(found.last),
        "bucket_sec": bucket_sec,
        "counts": found.counts,
        "total": sum(found.counts),
        "hottest": {"at": nominal(hottest), "count": most} if most else None,
        "complete": known.complete and found.steps_left > 0,
        "as_of": moment(known.read_ms),
    }
    return responses.answer(told)


def _window(from_: str | None, to: str | None) -> tuple[int, int, int]:
    now = clock.now_ms() // 1000
    first, last = window(from_, to, (now, now + _DAY_SEC))
    if last - first > _WINDOW_MAX_SEC:
        days = -(-(last - first) // _DAY_SEC)
        message = f"{nominal(first)} to {nominal(last)} is {days} days: expected 31 at most."
        raise Problem("invalid_field", message)
    return now, first, last


HANDLERS: Handlers = {"GET /v1/upcoming": index, "GET /v1/upcoming/heat": by_time}
