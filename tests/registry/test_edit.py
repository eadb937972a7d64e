"""What an edit dispatches, and which runs of a bounded task it counts."""

from __future__ import annotations

from collections.abc import Sequence

import pytest

from onthedot.records.runs.run_row import Run
from onthedot.registry import edit
from tests.simulation.calm import add, left_behind, outcomes, part
from tests.simulation.stage import Stage
from tests.simulation.users import user


def test_an_edit_does_not_dispatch_a_task_that_was_paused_meanwhile(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The pause comes after the edit was written and before it dispatches."""
    task = add(stage, "0 0 1 1 *")
    send = edit._send  # noqa: SLF001  # it is slow here

    def slowly(near: Sequence[Run], sent_from: int | None) -> None:
        monkeypatch.setattr(edit, "_send", send)
        user.pause(task.task_id)
        send(near, sent_from)

    monkeypatch.setattr(edit, "_send", slowly)
    user.patch(task.task_id, cron="* * * * *")

    assert outcomes(stage, task) == {}


def test_a_run_that_a_dead_dispatcher_claimed_is_counted_once_by_a_pause_and_a_resume(
    stage: Stage,
) -> None:
    """It stands at the cursor, which nobody has moved."""
    task = add(stage, "*/2 * * * *", max_runs=5)
    left_behind(stage, task, 2)

    user.pause(task.task_id)
    paused = part(stage, task, "cursor")["runs_left"]
    user.resume(task.task_id)

    assert (paused, part(stage, task, "cursor")["runs_left"]) == (4, 4)
