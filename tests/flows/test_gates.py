"""The gate of a task among rows that this version cannot read."""

from __future__ import annotations

from typing import Any

import pytest

from tests.flows.calm import add, go, outcomes, put_run
from tests.simulation.stage import Stage

SHAPES: dict[str, Any] = {"of another form": {"status": "running", "shape": "new"}, "no map": 7}


@pytest.mark.parametrize("life", SHAPES.values(), ids=SHAPES)
@pytest.mark.parametrize("overlap", ["skip", "queue", "cancel_previous"])
def test_a_row_that_cannot_be_read_holds_nobody_up(
    stage: Stage, overlap: str, life: dict[str, Any]
) -> None:
    task = add(stage, "* * * * *", overlap=overlap)
    strange = "2026-11-18T11:59:00Z"
    lists = {"holders": [strange], "waiting": []}
    put_run(stage, {"task_id": task.task_id, "scheduled_for": strange, "life": life})
    put_run(stage, {"task_id": task.task_id, "scheduled_for": "#gate", "rev": 1, "lists": lists})

    go(stage, 130)

    said = {key: what for key, what in outcomes(stage, task).items() if key >= "12:00"}
    assert said["12:01:00"] == said["12:02:00"] == "succeeded"
