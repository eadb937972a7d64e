"""Shows when a schedule fires and fired: coming slots, slots with outcomes, runs."""

from __future__ import annotations

from dataclasses import asdict
from functools import partial
from itertools import islice, takewhile
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from onthedot.api.door import responses
from onthedot.api.door.pages import Cursor, Limit, Listing
from onthedot.api.door.query_times import From, To, instant, place, window
from onthedot.api.door.responses import Handlers
from onthedot.api.runs.run_history import ALL, Origin, Question, StatusAsked, history
from onthedot.api.schedules.schedule_lookup import find, find_any, missing
from onthedot.api.views import slot_view
from onthedot.api.views.run_filter import RunFilter
from onthedot.api.views.schedule_view import to_come
from onthedot.api.views.slot_view import Recorded
from onthedot.records.runs import run_row
from onthedot.records.tasks import task_spec
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import nominal, parse_nominal
from onthedot.schedule.words import schedule_preview
from onthedot.store import clock, table_pages, table_reads
from onthedot.work.gates import waiting_runs

_DAY_SEC = 86_400
# Slots. A range that covers the first slot begins before it.
_BEFORE = 5


def coming(
    schedule: str,
    count: Annotated[int, Query(ge=1, le=100)] = 5,
    viewer_timezone: Annotated[str, Query(max_length=64)] = "UTC",
    from_: From = None,
) -> Response[str]:
    """Show the coming fires, if nothing changes."""
    known = find(schedule)
    now = clock.now_ms() // 1000
    after = instant(from_, "from", now)
    viewer = place(viewer_timezone)
    fires = [
        asdict(schedule_preview.fire(known.task.schedule, slot, viewer))
        for slot in islice(to_come(known.task, after, now, known.due), count)
    ]
    return responses.answer({"fires": fires})


def slots(
    schedule: str,
    from_: From = None,
    to: To = None,
    *,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response[str]:
    """Show every expected slot with its outcome, oldest first; a day back and ahead by default."""
    seen = find(schedule)
    task = seen.task
    now = clock.now_ms() // 1000
    first, last = window(from_, to, (now - _DAY_SEC, now + _DAY_SEC))
    pages = Listing(known={}, names=("slot",), until=last)
    begun = pages.start(cursor)
    if begun is not None:
        first = parse_nominal(begun["slot"]) + 1
    revisions = table_reads.rows(
        ("task_id", task.task_id), "part", ("rev#", "rev#~"), table=task_spec.TABLE
    )
    known = slot_view.eras(task, list(revisions), last)
    walk = slot_view.expected(known, first, last)
    found = list(islice(takewhile(partial(slot_view.was_due, task, seen.due), walk), limit + 1))
    recorded = _recorded(task, [slot for slot, _ in found[:limit]])
    shown = [
        slot_view.view(slot, under, task, row=recorded.of_slot(nominal(slot)), now=now)
        for slot, under in found[:limit]
    ]
    following = {"slot": shown[-1]["scheduled_for"]} if len(found) > limit else None
    return pages.answer(shown, following)


def past(
    schedule: str,
    status: StatusAsked = None,
    origin: Origin = None,
    *,
    from_: From = None,
    to: To = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response[str]:
    """List a schedule's runs, newest first. The id of a deleted schedule works too."""
    known = find_any(schedule)
    if known is None:
        raise missing()
    question = Question(
        filter=RunFilter(status, origin),
        task_id=known.task.task_id,
        between=window(from_, to, ALL),
        limit=limit,
        cursor=cursor,
    )
    return history(known.task, question)


def _recorded(task: Task, wanted: list[int]) -> Recorded:
    if not wanted:
        return Recorded.of([])
    between = (nominal(wanted[0]), f"{nominal(wanted[-1])}~~")
    items: list[dict[str, Any]] = list(
        table_reads.rows(("task_id", task.task_id), "scheduled_for", between)
    )
    before = table_pages.runs(task.task_id, ("0", between[0]), limit=_BEFORE, start=None)
    found = [run_row.readable(item) for item in [*before.items, *items]]
    return Recorded.of(waiting_runs.shown([run for run in found if run], clock.now_ms()))


HANDLERS: Handlers = {
    "GET /v1/schedules/{schedule}/next": coming,
    "GET /v1/schedules/{schedule}/slots": slots,
    "GET /v1/schedules/{schedule}/runs": past,
}
