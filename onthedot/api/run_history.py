"""A task's history by pages, and what a list of runs may be asked for."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Literal

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from onthedot.adapters import clock, listing
from onthedot.api.pages import Listing
from onthedot.core import attention, run_view
from onthedot.core import run as runs
from onthedot.core.instants import HORIZON, nominal
from onthedot.core.problems import Problem
from onthedot.core.run_filter import RunFilter
from onthedot.core.task import Task
from onthedot.flows import waiting

Status = Annotated[
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


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """What was asked for."""

    filter: RunFilter
    task_id: str | None
    between: tuple[int, int]
    limit: int
    cursor: str | None

    def pages(self, names: Sequence[str], **known: str) -> Listing:
        """Give the list that answers it: by these names of its items' keys."""
        return Listing(known=known, names=names)


def history(task: Task, question: Question) -> Response[str]:
    """List its runs, newest first; with filters a page may be short or empty."""
    if question.filter.status == attention.LONG:
        message = f"Long runs are listed by GET /v1/runs?status=long&task_id={task.task_id}."
        raise Problem("unsupported_filter", message)
    pages = question.pages(("scheduled_for",), task_id=task.task_id)
    first, last = question.between
    keys = nominal(first), f"{nominal(last)}~~"
    start = pages.start(question.cursor)
    page = listing.runs(task.task_id, keys, limit=question.limit, start=start)
    # What lies beside a run, its payload for one, has no life.
    read = [run for item in page.items if (run := runs.readable(item))]
    shown = waiting.shown(read, clock.now_ms())
    found = [run_view.summary(run, task) for run in shown if question.filter.holds(run)]
    return pages.answer(found, page.last)
