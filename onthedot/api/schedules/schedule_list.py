"""Lists schedules by pages, filtered by what the index carries."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Annotated, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from onthedot.api.door.pages import Cursor, Limit, Listing
from onthedot.api.door.request import tenant
from onthedot.api.door.responses import Handlers
from onthedot.api.schedules import failing_schedules
from onthedot.api.schedules.filtered_pages import Entry, Item, Target, Text, choose, given
from onthedot.api.views import schedule_view
from onthedot.records.keys import item_key
from onthedot.records.tasks.task_spec import TABLE as TASKS
from onthedot.records.tasks.task_spec import cursor_key
from onthedot.registry import calendar_edits
from onthedot.schedule.schedule import Schedule
from onthedot.schedule.time.instants import parse_nominal
from onthedot.store import clock, stored_runs, table_reads

Status = Annotated[
    Literal["active", "paused", "completed", "invalid", "failing"] | None,
    Query(description="`failing`: schedules that have dead letters."),
]


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
    """List schedules, newest first.

    Failing schedules are in the order of their newest death.
    """
    wanted = given(
        status=status, tag=tag, target=target, handler=handler, q=q, managed_by=managed_by
    )
    now = clock.now_ms() // 1000

    def entries(items: Sequence[Item]) -> list[Entry]:
        compiled = _compiled(items)
        return [schedule_view.entry(*each, now) for each in zip(items, compiled, strict=True)]

    if status == failing_schedules.STATUS:
        pages = Listing(known={}, names=failing_schedules.NAMES)
        others = {name: value for name, value in wanted.items() if name != "status"}
        dying, last = failing_schedules.choose(
            entries, others, limit=limit, start=pages.start(cursor)
        )
        return pages.answer(_with_last_runs(dying, now), last)
    known = {"listed": f"{tenant()}#s", "part": "spec"}
    pages = Listing(known=known, names=("created_at", "task_id"))
    found, last = choose(known, entries, wanted, limit=limit, start=pages.start(cursor))
    return pages.answer(_with_last_runs([item for item, _ in found], now), last)


def _with_last_runs(items: Sequence[Item], now: int) -> list[Entry]:
    """Adds the outcomes of the newest slots. Their rows' keys are computed without an index."""
    compiled = _compiled(items)
    seen = _last_seen(items, now)
    keys = [
        item_key(item["task_id"], key)
        for item, schedule in zip(items, compiled, strict=True)
        for key in schedule_view.recent_keys(
            schedule, seen.get(item["task_id"], now), item["created_at"]
        )
    ]
    newest = sorted(stored_runs.of(keys).values(), key=lambda run: run.key)
    last = {run.task_id: run for run in newest}
    return [
        schedule_view.entry(item, schedule, now, last.get(item["task_id"]))
        for item, schedule in zip(items, compiled, strict=True)
    ]


def _last_seen(items: Sequence[Item], now: int) -> dict[str, int]:
    """Reads from the cursors of completed schedules how far they came."""
    keys = [cursor_key(item["task_id"]) for item in items if item["status"] == "completed"]
    cursors = table_reads.get_all(TASKS, keys)
    return {
        item["task_id"]: schedule_view.last_seen(
            parse_nominal(item["next_run_at"]), now, exhausted=True
        )
        for item in cursors
    }


def _compiled(items: Sequence[Item]) -> list[Schedule]:
    """Compiles them. The index names calendars, but not what they exclude."""
    named = any(item.get("calendars") for item in items)
    known = calendar_edits.compiled(tenant()) if named else {}
    return [schedule_view.listed(item, known) for item in items]


HANDLERS: Handlers = {"GET /v1/schedules": index}
