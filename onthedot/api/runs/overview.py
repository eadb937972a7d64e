"""Shows one screen: how the last hour went, and what needs attention."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from functools import partial
from hashlib import sha256
from typing import Any

from aws_lambda_powertools.event_handler import Response

from onthedot.api.door import responses
from onthedot.api.door.request import asked, tenant
from onthedot.api.door.responses import Handlers
from onthedot.api.runs import run_rows
from onthedot.api.views import hour_figures, run_view
from onthedot.dispatch import due_tasks
from onthedot.records.access.api_key import TASKS_MAX
from onthedot.records.keys import key_of
from onthedot.records.runs import attention, run_row
from onthedot.schedule.time.instants import nominal
from onthedot.store import aws, clock, table_pages, table_reads
from onthedot.store.access import tenants
from onthedot.upkeep import minute_tally, pulse
from onthedot.upkeep.minute_tally import HOUR_SEC, MINUTES

_KINDS = ("dead", "missed", "retrying", "long")
_SHOWN_MAX = 10
_ALWAYS = ("0", "~")


def show() -> Response[str]:
    """Show the last hour and the newest runs of each kind that needs attention."""
    mine = tenant()
    asks: list[Callable[[], Any]] = [
        _minutes,
        partial(table_reads.get, run_row.TABLE, due_tasks.KEY),
        partial(_tasks, mine),
        *(partial(_newest, mine, kind) for kind in _KINDS),
    ]
    minutes, of_tick, tasks, *kinds = aws.in_parallel(lambda ask: ask(), asks)
    rows = {
        (each.task_id, each.key): run_view.summary(each, task)
        for each, task in run_rows.read([key for keys in kinds for key in keys])
    }
    found = {
        kind: [rows[place] for key in keys if (place := tuple(key.values())) in rows]
        for kind, keys in zip(_KINDS, kinds, strict=True)
    }
    signs = pulse.read(of_tick, minutes[-1] if minutes else None)
    return _tagged(
        {
            **hour_figures.view(*_counts(minutes, mine)),
            "attention": found,
            "tasks": tasks,
            "scheduler": pulse.scheduler(signs, clock.now_ms()),
        }
    )


def _tasks(tenant_id: str) -> dict[str, int]:
    found = tenants.read(tenant_id)
    most = found.get("tasks_max", TASKS_MAX)
    return {"used": most - found.get("tasks_left", most), "max": most}


def _minutes() -> list[table_reads.Item]:
    now = clock.now_ms() // 1000
    between = nominal(now - HOUR_SEC), nominal(now)
    return list(table_reads.rows(("task_id", MINUTES), "scheduled_for", between))


def _counts(
    items: Sequence[table_reads.Item], tenant_id: str
) -> tuple[Counter[str], dict[int, Counter[str]]]:
    """Returns what ended within the hour, and what was due in each of its minutes."""
    now = clock.now_ms() // 1000
    hour, minutes = Counter[str](), dict[int, Counter[str]]()
    for item in items:
        hour += minute_tally.of_tenant(item, tenant_id)
        for minute, counts in minute_tally.due_minutes(item, tenant_id).items():
            if now - HOUR_SEC <= minute <= now:
                minutes[minute] = minutes.get(minute, Counter()) + counts
    return hour, minutes


def _newest(tenant_id: str, kind: str) -> list[dict[str, str]]:
    listed = attention.partition(tenant_id, kind)
    page = table_pages.attention(listed, _ALWAYS, limit=_SHOWN_MAX, start=None)
    return [key_of(item) for item in page.items]


def _tagged(body: dict[str, Any]) -> Response[str]:
    """Answers with a tag: screens ask often, and an unchanged one is not sent again."""
    whole = responses.answer(body)
    tag = f'"{sha256((whole.body or "").encode()).hexdigest()[:16]}"'
    if responses.names(asked().headers, "if-none-match", tag):
        return Response(304, body="", headers={"ETag": tag})
    return responses.answer(body, headers={"ETag": tag})


HANDLERS: Handlers = {"GET /v1/overview": show}
