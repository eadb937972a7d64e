"""Runs: shown one by one."""

from __future__ import annotations

from aws_lambda_powertools.event_handler import Response

from onthedot.adapters import tables
from onthedot.api import answers
from onthedot.api.answers import Handlers
from onthedot.api.asking import tenant
from onthedot.core import keys, run_view
from onthedot.core import run as runs
from onthedot.core import task as tasks
from onthedot.core.problems import not_found


def show(run_id: str) -> Response[str]:
    """Show one run."""
    try:
        row = runs.row_key(run_id)
    except ValueError:
        raise not_found("run of that id") from None
    beside = {**row, "scheduled_for": keys.payload_key(row["scheduled_for"])}
    found = tables.get_many(
        {runs.TABLE: [row, beside], tasks.TABLE: [tasks.spec_key(row["task_id"])]}
    )
    items = tables.by_key(found[runs.TABLE], "scheduled_for")
    item = items.get((row["scheduled_for"],))
    run = runs.readable(item) if item else None
    if run is None or run.tenant_id != tenant() or not found[tasks.TABLE]:
        raise not_found("run of that id")
    task = tasks.parse(found[tasks.TABLE][0])
    own = items.get((beside["scheduled_for"],))
    return answers.answer(run_view.view(run, task, own["payload"] if own else task.payload))


HANDLERS: Handlers = {"GET /v1/runs/{run_id}": show}
