"""Lists one-off tasks by pages, filtered by what the index carries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from onthedot.api.door.pages import Cursor, Limit, Listing
from onthedot.api.door.request import tenant
from onthedot.api.door.responses import Handlers
from onthedot.api.schedules.filtered_pages import Entry, Item, Target, Text, choose, given
from onthedot.records.keys import item_key
from onthedot.registry import oneoff
from onthedot.store import stored_runs

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
    """Adds the outcomes of their runs. A run's key is the task's time."""
    keys = [item_key(item["task_id"], item["start_at"]) for item in items]
    found = {run.task_id: run for run in stored_runs.of(keys).values()}
    return [oneoff.entry(item, found.get(item["task_id"])) for item in items]


HANDLERS: Handlers = {"GET /v1/tasks": index}
