"""The gate of a task: among rows that this version cannot read, and while it keeps changing."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.launch.trigger import trigger
from onthedot.records.attributes import typed_item
from onthedot.records.runs.run_row import row_key
from tests.simulation.calm import (
    add,
    gate,
    go,
    outcomes,
    purge,
    put_run,
    runs,
    said,
    unsettle,
    wait,
    waiting_messages,
)
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


@pytest.mark.deep
def test_a_place_in_a_gate_that_keeps_changing_is_given_up_in_the_end(stage: Stage) -> None:
    task = add(stage, "* * * * *", overlap="queue", end_sec=70)
    stage.takes_sec = lambda _: 5
    key = {"task_id": task.task_id, "scheduled_for": "#gate"}
    go(stage, 63)
    unsettle(stage, key, "rev", since=63, sec=4)
    wait(stage, 66.5)
    assert said(runs(stage, task)[0]) == "succeeded"
    assert len(gate(stage, task)["holders"]) == 1

    wait(stage, 200)

    assert gate(stage, task) == {"holders": [], "waiting": []}
    assert waiting_messages(stage) == []


def test_who_cannot_enter_a_gate_that_keeps_changing_comes_again(stage: Stage) -> None:
    task = add(stage, "* * * * *", overlap="queue", end_sec=70)
    key = {"task_id": task.task_id, "scheduled_for": "#gate"}
    lists: dict[str, list[str]] = {"holders": [], "waiting": []}
    put_run(stage, key | {"rev": 1, "lists": lists})
    go(stage, 55)
    unsettle(stage, key, "rev", since=59, sec=3)

    wait(stage, 61.5)
    assert said(runs(stage, task)[0]) == "claimed"
    wait(stage, 200)

    assert outcomes(stage, task) == {"12:01:00": "succeeded"}


def test_who_waits_behind_runs_that_end_together_is_called_at_once(stage: Stage) -> None:
    tasks = [add(stage, "* * * * *", name=name, overlap="queue", end_sec=130) for name in "abcdef"]
    stage.takes_sec = lambda _: 65
    go(stage, 200)

    lives = [[run.life for run in runs(stage, task)] for task in tasks]
    spans = [[(a.its_attempt.started_ms, a.its_end.ended_ms) for a in each] for each in lives]
    assert [len(of_task) for of_task in spans] == [2] * 6
    assert all(0 < second[0] - first[1] < 2_000 for first, second in spans)
    assert waiting_messages(stage) == []


def test_who_finds_a_line_full_calls_the_first_of_it(stage: Stage) -> None:
    task = add(stage, "0 0 1 1 *", overlap="queue", queue_max=1)
    first = trigger(task.task_id)
    assert first is not None
    # The message that called it is lost.
    purge(stage)
    lists = {"holders": [], "waiting": [first.key]}
    put_run(stage, {"task_id": task.task_id, "scheduled_for": "#gate", "rev": 1, "lists": lists})

    second = trigger(task.task_id)
    assert second is not None
    wait(stage, 10)

    rows = stage.rows()
    assert said(rows[second.run_id]) == "skipped(queue_full)"
    assert said(rows[first.run_id]) == "succeeded"


def test_a_previous_run_that_changes_as_it_is_asked_to_stop_is_asked_again(stage: Stage) -> None:
    task = add(stage, "0 0 1 1 *", overlap="cancel_previous")
    stage.takes_sec = lambda _: 300
    first = trigger(task.task_id)
    assert first is not None
    wait(stage, 5)
    unsettle(stage, row_key(first.run_id), "life.attempt", since=5, sec=0.15)
    stage.world.call_at(5.16, lambda: _set_attempt(stage, first.run_id, 1))

    trigger(task.task_id)
    wait(stage, 60)

    assert [said(run) for run in runs(stage, task)] == ["cancelled(previous)", "running"]


def _set_attempt(stage: Stage, run_id: str, attempt: int) -> None:
    stage.world.store.update_item(
        TableName="runs",
        Key=typed_item(row_key(run_id)),
        UpdateExpression="SET life.attempt = :n",
        ExpressionAttributeValues={":n": {"N": str(attempt)}},
    )
