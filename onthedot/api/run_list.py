"""Runs of all tasks: what happened in the last hour, what wants attention, or those of one task."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import islice
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from onthedot.adapters import clock, listing, tables
from onthedot.api import run_rows
from onthedot.api.answers import Handlers
from onthedot.api.asking import tenant
from onthedot.api.instants import From, To, window
from onthedot.api.pages import Cursor, Limit
from onthedot.api.run_history import ALL, Origin, Question, Status, history
from onthedot.core import attention, run_view
from onthedot.core import run as runs
from onthedot.core import task as tasks
from onthedot.core.instants import nominal
from onthedot.core.problems import Problem, not_found
from onthedot.core.run_filter import RunFilter
from onthedot.flows import recent

TaskId = Annotated[str | None, Query(min_length=1, max_length=64)]


def index(
    status: Status = None,
    origin: Origin = None,
    *,
    task_id: TaskId = None,
    from_: From = None,
    to: To = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response[str]:
    """List runs, newest first: of one task, of those that want attention, or of the last hour."""
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
    if status is not None or asked_for.between != ALL:
        given = "A time" if status is None else f"status={status}"
        message = f"{given} needs a task_id here: without one, only the last hour is listed."
        raise Problem("unsupported_filter", message)
    return _recent(asked_for)


def _of_task(question: Question, task_id: str) -> Response[str]:
    spec = tables.get(tasks.TABLE, tasks.spec_key(task_id))
    if spec is None or spec["tenant_id"] != tenant():
        raise not_found("schedule or task of that id")
    return history(tasks.parse(spec), question)


def _of_kind(question: Question) -> Response[str]:
    """Rows are read by their keys: the index may lag behind them."""
    kind = question.filter.status or ""
    listed = attention.partition(tenant(), kind)
    pages = question.pages(("attention_at", "task_id", "scheduled_for"), attention=listed)
    first, last = question.between
    stamps = f"{first * 1000:013}", f"{last * 1000 + 999:013}~"
    start = pages.start(question.cursor)
    page = listing.attention(listed, stamps, limit=question.limit, start=start)
    keys = [
        {name: item[name] for name in ("task_id", "scheduled_for")}
        for item in page.items
        if question.task_id in (None, item["task_id"])
    ]
    status = "running" if kind == attention.LONG else kind
    return pages.answer(_summaries(keys, replace(question.filter, status=status)), page.last)


def _recent(question: Question) -> Response[str]:
    pages = question.pages(("minute", "key", "run_id"))
    begun = pages.start(question.cursor)
    before = (begun["minute"], begun["key"], begun["run_id"]) if begun else None
    now = nominal(clock.now_ms() // 1000 + 1)
    due = (place for place in recent.places(tenant(), before) if place[1] < now)
    found = list(islice(due, question.limit + 1))
    page = found[: question.limit]
    shown = _summaries([runs.row_key(run_id) for *_, run_id in page], question.filter)
    more = len(found) > len(page)
    return pages.answer(shown, dict(zip(pages.names, page[-1], strict=True)) if more else None)


def _summaries(keys: Sequence[dict[str, str]], wanted: RunFilter) -> list[dict[str, Any]]:
    return [run_view.summary(run, task) for run, task in run_rows.read(keys) if wanted.holds(run)]


HANDLERS: Handlers = {"GET /v1/runs": index}
