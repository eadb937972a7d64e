"""Lists dead letters, and groups them by error."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import islice
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from onthedot.api.door import responses
from onthedot.api.door.full_pages import CHUNK, Walked, fill
from onthedot.api.door.pages import Cursor, Limit, Listing
from onthedot.api.door.query_times import From, To, window
from onthedot.api.door.request import tenant
from onthedot.api.door.responses import Handlers
from onthedot.api.runs import run_rows
from onthedot.api.views import run_view
from onthedot.records.runs import attention
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import HORIZON, moment
from onthedot.store import table_pages
from onthedot.upkeep import dead_letter, dead_letters
from onthedot.upkeep.dead_letter import KIND, Chosen, DeathReason, Letter

Word = Annotated[str | None, Query(min_length=1, max_length=64)]
Item = dict[str, Any]
ALL = (0, HORIZON - 1)
# Letters that one answer of the store holds, for callers that want all.
_ALL_AT_ONCE = 5_000
GROUPED_MAX = 10_000
_GROUPS_MAX = 100


def index(
    task_id: Word = None,
    fingerprint: Word = None,
    reason: Annotated[DeathReason | None, Query()] = None,
    *,
    from_: From = None,
    to: To = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response[str]:
    """List dead letters, the newest first."""
    first, last = window(from_, to, ALL)
    chosen = Chosen(
        task_id=task_id,
        fingerprint=fingerprint,
        reason=reason,
        from_ms=first * 1000,
        to_ms=last * 1000 + 999,
    )
    listed = attention.partition(tenant(), KIND)
    names = ("attention_at", "task_id", "scheduled_for")
    pages = Listing(known={"attention": listed}, names=names)

    def read(size: int, start: Any) -> Walked[Item]:  # noqa: ANN401  # a key of the store
        page = table_pages.attention(listed, chosen.between, limit=size, start=start)
        return Walked(page.items, page.last)

    def show(items: Sequence[Item]) -> list[Item | None]:
        found = [dead_letter.parse(item) for item in items]
        rows = run_rows.read([letter.row for letter in found if chosen.holds(letter)])
        dead = {
            (run.task_id, run.key): (run, task) for run, task in rows if run.life.status == KIND
        }
        places = [(letter, dead.get((letter.task_id, letter.key))) for letter in found]
        return [_shown(*row, letter) if row else None for letter, row in places]

    start = pages.start(cursor)
    chunk = CHUNK if chosen.filtered else limit
    return pages.answer(*fill(read, show, limit=limit, start=start, chunk=chunk))


def groups() -> Response[str]:
    """Group dead letters by their error, the largest group first."""
    chosen = Chosen(from_ms=0, to_ms=ALL[1] * 1000)
    found = list(islice(dead_letters.find(tenant(), chosen, page=_ALL_AT_ONCE), GROUPED_MAX + 1))
    grouped = dead_letter.groups(found[:GROUPED_MAX])[:_GROUPS_MAX]
    rows = run_rows.read([group.newest.row for group in grouped])
    samples = {(run.task_id, run.key): run for run, _ in rows}
    shown = [
        dead_letter.group_view(group, samples.get((group.newest.task_id, group.newest.key)))
        for group in grouped
    ]
    whole = len(found) <= GROUPED_MAX
    return responses.answer({"data": shown, "next_cursor": None, "complete": whole})


def _shown(run: Run, task: Task, letter: Letter) -> dict[str, Any]:
    error = run.life.its_end.error or {}
    return {
        **run_view.summary(run, task),
        "died_at": moment(letter.died_ms),
        "fingerprint": letter.fingerprint,
        "error": {name: error.get(name) for name in ("type", "message")} if error else None,
    }


HANDLERS: Handlers = {
    "GET /v1/dead-letters": index,
    "GET /v1/dead-letters/groups": groups,
}
