"""One-off tasks by pages, filtered by what the index carries of them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from onthedot.adapters import tables
from onthedot.api.answers import Handlers
from onthedot.api.asking import tenant
from onthedot.api.choosing import Entry, Item, Target, Text, choose, given
from onthedot.api.pages import Cursor, Limit, Listing
from onthedot.core import oneoff
from onthedot.core import run as runs

Status = Annotated[Literal["active", "completed", "cancelled"] | None, Query()]


def index(
    limit: Limit = 50,
    cursor: Cursor = None,
    *,
    status: Status = None,
    tag: Text = None,
    target: Target = None,
    handler: Text = None,
    q: Text = None,
    managed_by: Text = None,
) -> Response[str]:
    """List tasks, newest first."""
    wanted = given(
        status=status, tag=tag, target=target, handler=handler, q=q, managed_by=managed_by
    )
    known = {"listed": f"{tenant()}#t", "part": "spec"}
    pages = Listing(known=known, names=("created_at", "task_id"))
    found, last = choose(known, _entries, wanted, limit=limit, start=pages.start(cursor))
    return pages.answer([entry for _, entry in found], last)


def _entries(items: Sequence[Item]) -> list[Entry]:
    """Add what became of their runs: a run's key is the task's time."""
    keys = [{"task_id": item["task_id"], "scheduled_for": item["start_at"]} for item in items]
    rows = tables.get_many({runs.TABLE: keys})[runs.TABLE] if keys else []
    found = {run.task_id: run for row in rows if (run := runs.readable(row))}
    return [oneoff.entry(item, found.get(item["task_id"])) for item in items]


HANDLERS: Handlers = {"GET /v1/tasks": index}
