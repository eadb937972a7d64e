"""Dead letters: what is there, and which errors they died of."""

from __future__ import annotations

from itertools import islice
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from onthedot.adapters import listing
from onthedot.api import answers, run_rows
from onthedot.api.answers import Handlers
from onthedot.api.asking import tenant
from onthedot.api.instants import From, To, window
from onthedot.api.pages import Cursor, Limit, Listing
from onthedot.core import attention, run_view
from onthedot.core import dead_letters as letters
from onthedot.core.dead_letters import Chosen, Letter, Reason
from onthedot.core.instants import HORIZON
from onthedot.core.moments import moment
from onthedot.core.run import Run
from onthedot.core.task import Task
from onthedot.flows import dead_letters

Word = Annotated[str | None, Query(min_length=1, max_length=64)]
ALL = (0, HORIZON - 1)
# A filter looks at no more than so many pages of the index for one of ours.
_PAGES, _PAGE = 4, 500
# Whoever wants all of them gets what one answer of the store can hold.
_ALL_AT_ONCE = 5_000
GROUPED_MAX = 10_000
_GROUPS_MAX = 100


def index(
    task_id: Word = None,
    fingerprint: Word = None,
    reason: Annotated[Reason | None, Query()] = None,
    *,
    from_: From = None,
    to: To = None,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response[str]:
    """List dead letters, the newest first. With filters a page may be short or empty."""
    first, last = window(from_, to, ALL)
    chosen = Chosen(
        task_id=task_id,
        fingerprint=fingerprint,
        reason=reason,
        from_ms=first * 1000,
        to_ms=last * 1000 + 999,
    )
    pages = Listing(
        known={"attention": attention.partition(tenant(), letters.KIND)},
        names=("attention_at", "task_id", "scheduled_for"),
    )
    found, after = _page(chosen, limit, pages.start(cursor))
    rows = run_rows.read([letter.row for letter in found])
    died = {(letter.task_id, letter.key): letter for letter in found}
    shown = [_shown(run, task, died[run.task_id, run.key]) for run, task in rows]
    return pages.answer([one for one in shown if one["status"] == letters.KIND], after)


def groups() -> Response[str]:
    """Group dead letters by their error, the largest group first."""
    chosen = Chosen(from_ms=0, to_ms=ALL[1] * 1000)
    found = list(islice(dead_letters.find(tenant(), chosen, page=_ALL_AT_ONCE), GROUPED_MAX + 1))
    grouped = letters.groups(found[:GROUPED_MAX])[:_GROUPS_MAX]
    rows = run_rows.read([group.newest.row for group in grouped])
    samples = {(run.task_id, run.key): run for run, _ in rows}
    shown = [
        letters.group_view(group, samples.get((group.newest.task_id, group.newest.key)))
        for group in grouped
    ]
    whole = len(found) <= GROUPED_MAX
    return answers.answer({"data": shown, "next_cursor": None, "complete": whole})


def _page(
    chosen: Chosen,
    limit: int,
    after: Any,  # noqa: ANN401  # a key of the store
) -> tuple[list[Letter], Any]:
    """Give up to so many that fit, and behind which one the next page begins."""
    listed = attention.partition(tenant(), letters.KIND)
    found: list[Letter] = []
    for _ in range(_PAGES):
        size = _PAGE if chosen.filtered else limit
        page = listing.attention(listed, chosen.between, limit=size, start=after)
        fitting = [one for one in map(letters.parse, page.items) if chosen.holds(one)]
        taken = fitting[: limit - len(found)]
        found += taken
        if len(taken) < len(fitting):
            return found, dead_letters.place(tenant(), found[-1])
        after = page.last
        if after is None or len(found) == limit:
            break
    return found, after


def _shown(run: Run, task: Task, letter: Letter) -> dict[str, Any]:
    error = run.life.error or {}
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
