"""Lists a task's runs by pages, and defines what a list of runs may ask for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from onthedot.api.door.full_pages import CHUNK, Walked, fill
from onthedot.api.door.pages import Listing
from onthedot.api.views import run_view
from onthedot.api.views.run_filter import RunFilter
from onthedot.records.problems import Problem
from onthedot.records.runs import attention, run_row
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import HORIZON, nominal
from onthedot.store import clock, table_pages
from onthedot.work.gates import waiting_runs

StatusAsked = Annotated[
    Literal[
        "claimed",
        "waiting",
        "running",
        "awaiting",
        "retrying",
        "succeeded",
        "dead",
        "skipped",
        "missed",
        "cancelled",
        "open",
        "final",
        "failed",
        "long",
    ]
    | None,
    Query(),
]
Origin = Annotated[
    Literal["schedule", "task", "manual", "backfill", "catchup", "replay"] | None, Query()
]
ALL = (0, HORIZON - 1)
Item = dict[str, Any]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What was asked for."""

    filter: RunFilter
    task_id: str | None
    between: tuple[int, int]
    limit: int
    cursor: str | None

    def last_ms(self, now_ms: int) -> int:
        """Returns when a list ends: now, except for coming runs or an end that was asked for."""
        if self.between[1] != ALL[1]:
            return self.between[1] * 1000 + 999
        return ALL[1] * 1000 if self.filter.status == "claimed" else now_ms

    def pages(self, names: Sequence[str], until: int | None = None, **known: str) -> Listing:
        """Returns the list that answers it. `names` are the parts of its items' keys."""
        return Listing(known=known, names=names, until=until)


def history(task: Task, question: Question) -> Response[str]:
    """Lists its runs, newest first."""
    if question.filter.status == attention.LONG:
        message = f"Long runs are listed by GET /v1/runs?status=long&task_id={task.task_id}."
        raise Problem("unsupported_filter", message)
    now_ms = clock.now_ms()
    last_ms = question.last_ms(now_ms)
    # A blackout is recorded ahead of its time, as far as it is known.
    until = max(last_ms, now_ms) // 1000
    pages = question.pages(("scheduled_for",), until, task_id=task.task_id)
    if question.between[0] * 1000 > last_ms:
        # It would begin after its own end.
        return pages.answer([], None)
    keys = nominal(question.between[0]), f"{nominal(last_ms // 1000)}~~"

    def read(limit: int, start: Any) -> Walked[Item]:  # noqa: ANN401  # a key of the store
        page = table_pages.runs(task.task_id, keys, limit=limit, start=start)
        return Walked(page.items, page.last)

    def show(items: Sequence[Item]) -> list[Item | None]:
        # Items beside a run, such as its payload, have no life.
        read_ones = [run for item in items if (run := run_row.readable(item))]
        shown = {
            run.key: run_view.summary(run, task)
            for run in waiting_runs.shown(read_ones, now_ms)
            if question.filter.holds(run) and run.life.due_first_ms <= max(last_ms, now_ms)
        }
        return [shown.get(item["scheduled_for"]) for item in items]

    start = pages.start(question.cursor)
    chunk = CHUNK if question.filter.narrows else question.limit
    return pages.answer(*fill(read, show, limit=question.limit, start=start, chunk=chunk))
