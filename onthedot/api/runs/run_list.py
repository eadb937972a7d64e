"""Lists runs of all tasks: the last hour, those that need attention, or those of one task."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from onthedot.api.door.full_pages import CHUNK, Walked, fill
from onthedot.api.door.pages import Cursor, Limit, Listing
from onthedot.api.door.query_times import From, To, window
from onthedot.api.door.request import tenant
from onthedot.api.door.responses import Handlers
from onthedot.api.runs import run_rows
from onthedot.api.runs.run_history import ALL, Origin, Question, StatusAsked, history
from onthedot.api.views import run_view
from onthedot.api.views.run_filter import RunFilter
from onthedot.records.keys import instant_ms, item_key, row_of
from onthedot.records.problems import Problem, not_found
from onthedot.records.runs import attention, manifest
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks import task_spec
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import moment
from onthedot.store import clock, table_pages, table_reads
from onthedot.upkeep.recent_order import Place
from onthedot.upkeep.recent_runs import BACK_MIN, Walk

TaskId = Annotated[str | None, Query(min_length=1, max_length=64)]
Entry = dict[str, Any]
# Ends a position behind which the audit has sorted everything that was listed by then.
_SORTED = "~"


def index(
    status: StatusAsked = None,
    origin: Origin = None,
    *,
    task_id: TaskId = None,
    from_: From = None,
    to: To = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response[str]:
    """List runs, newest first: of one task, of the last hour, or those that need attention."""
    asked_for = Question(
        filter=RunFilter(status, origin),
        task_id=task_id,
        between=window(from_, to, ALL),
        limit=limit,
        cursor=cursor,
    )
    if status in (attention.LONG, *attention.LISTED):
        return _of_kind(asked_for)
    if task_id is not None:
        return _of_task(asked_for, task_id)
    return _recent(asked_for)


def _of_task(question: Question, task_id: str) -> Response[str]:
    spec = table_reads.get(task_spec.TABLE, task_spec.spec_key(task_id))
    if spec is None or spec["tenant_id"] != tenant():
        raise not_found("schedule or task of that id")
    return history(task_spec.parse(spec), question)


def _of_kind(question: Question) -> Response[str]:
    """Reads rows by their keys, because the index may lag behind them."""
    kind = question.filter.status or ""
    wanted = RunFilter("running" if kind == attention.LONG else kind, question.filter.origin)
    listed = attention.partition(tenant(), kind)
    pages = question.pages(("attention_at", "task_id", "scheduled_for"), attention=listed)
    first, last = question.between
    stamps = f"{first * 1000:013}", f"{last * 1000 + 999:013}~"

    def read(limit: int, start: Any) -> Walked[Entry]:  # noqa: ANN401  # a key of the store
        page = table_pages.attention(listed, stamps, limit=limit, start=start)
        return Walked(page.items, page.last)

    def show(items: Sequence[Entry]) -> list[Entry | None]:
        rows = _rows([(item["task_id"], item["scheduled_for"]) for item in items])
        asked_for = (run for run, _ in rows.values() if question.task_id in (None, run.task_id))
        fitting = {(run.task_id, run.key) for run in asked_for if wanted.holds(run)}
        places = [(item["task_id"], item["scheduled_for"]) for item in items]
        return [run_view.summary(*rows[each]) if each in fitting else None for each in places]

    start = pages.start(question.cursor)
    chunk = CHUNK if question.task_id or wanted.origin else question.limit
    return pages.answer(*fill(read, show, limit=question.limit, start=start, chunk=chunk))


def _recent(question: Question) -> Response[str]:
    """Walks the last hour by due times, which all lists of the runs share."""
    pages = question.pages(("newest_at", "due_at", "run_id"))
    walk = _begun(question, pages)
    places, ahead = walk.places(), list[Place]()

    def read(limit: int, _: Any) -> Walked[Place]:  # noqa: ANN401  # it continues by itself
        found = [*ahead, *islice(places, limit + 1 - len(ahead))]
        ahead[:] = found[limit:]
        return Walked(found[:limit], found[limit - 1] if ahead else walk.cut, enough=not ahead)

    def show(found: Sequence[Place]) -> list[Entry | None]:
        keys = [row_of(place.run_id) for place in found]
        rows = _rows(keys)
        # It was listed at another time as well. It belongs where its row says.
        there = [
            rows[key] if key in rows and rows[key][0].life.due_first_ms == place.due_ms else None
            for key, place in zip(keys, found, strict=True)
        ]
        return [
            run_view.summary(*each) if each and question.filter.holds(each[0]) else None
            for each in there
        ]

    chunk = CHUNK if question.filter.narrows else question.limit
    found, last = fill(read, show, limit=question.limit, start=None, chunk=chunk)
    if last is None:
        return pages.answer(found, None)
    sorted_from = "" if walk.merge.unsorted_behind(last) else _SORTED
    newest_at = f"{moment(walk.merge.again_from(last))}{sorted_from}"
    mark = {"newest_at": newest_at, "due_at": moment(last.due_ms), "run_id": last.run_id}
    return pages.answer(found, mark)


def _begun(question: Question, pages: Listing) -> Walk:
    now_ms = clock.now_ms()
    first_ms, last_ms = now_ms - BACK_MIN * 60_000, question.last_ms(now_ms)
    begin_ms = question.between[0] * 1000 or first_ms
    # A caller's clock may be a little behind.
    if begin_ms < first_ms - 60_000 or last_ms < first_ms:
        message = "Without a task_id only the last hour is listed: give a later time, or a task_id."
        raise Problem("unsupported_filter", message)
    walk = Walk.between(tenant(), max(begin_ms, first_ms), last_ms)
    begun = pages.start(question.cursor)
    if begun is None:
        return walk
    newest_ms = manifest.newest_ms(begun["newest_at"].removesuffix(_SORTED))
    due_ms = instant_ms(begun["due_at"])
    unsorted = not begun["newest_at"].endswith(_SORTED)
    return walk.behind(Place(due_ms, begun["run_id"]), newest_ms, unsorted=unsorted)


def _rows(keys: Sequence[tuple[str, str]]) -> dict[tuple[str, str], tuple[Run, Task]]:
    found = run_rows.read([item_key(task, key) for task, key in keys])
    return {(run.task_id, run.key): (run, task) for run, task in found}


HANDLERS: Handlers = {"GET /v1/runs": index}
