"""Bury: a healthy run gets a fresh message, and only what may never run again is ended."""

from __future__ import annotations

from dataclasses import replace

import pytest

from onthedot.core import moves
from onthedot.core.pack import Pack, Ticket
from onthedot.core.run import Life, Run
from onthedot.core.task import Task
from tests.flows.calm import (
    NOON,
    add,
    gate,
    put_run,
    runs,
    said,
    sent,
    told,
    wait,
    waiting_messages,
)
from tests.simulation.stage import Stage


def row(task: Task, **life: object) -> Run:
    """A run that is due at noon, claimed unless told otherwise."""
    born = Life(status="claimed", tv=1, schedule_version=1, due_ms=NOON * 1000)
    return Run(
        task_id=task.task_id,
        key="2026-11-18T12:00:00Z",
        tenant_id="acme",
        origin="schedule",
        queue="normal",
        life=replace(born, **life),  # type: ignore[arg-type]  # the test names them
    )


def dead_letter(stage: Stage, run: Run, *, put: bool = True) -> None:
    """What SQS gave up on: the row as it stands, and its message among the dead."""
    if put:
        put_run(stage, dict(moves.insert(run, now_ms=NOON * 1000).item))
    ticket = Ticket(run.run_id, run.life.attempt + 1, 1)
    sent(stage, Pack(due_ms=NOON * 1000, why="start", tickets=(ticket,)).body(), "dead")


def test_a_run_that_may_still_run_is_sent_afresh_and_succeeds(stage: Stage) -> None:
    task = add(stage, "0 0 * * *")
    dead_letter(stage, row(task))
    wait(stage, 10)

    (run,) = runs(stage, task)
    assert said(run) == "succeeded"
    assert run.life.buried == 1
    assert waiting_messages(stage, "dead") == []


@pytest.mark.parametrize(
    "life",
    [
        {"buried": 3},
        {"status": "retrying", "attempt": 3, "buried": 1},
        {"status": "running", "attempt": 3, "owner": "W", "lease_ms": (NOON - 60) * 1000},
    ],
)
def test_what_may_not_run_any_more_is_dead(stage: Stage, life: dict[str, object]) -> None:
    task = add(stage, "0 0 * * *")
    dead_letter(stage, row(task, **life))
    wait(stage, 10)

    (run,) = runs(stage, task)
    assert said(run) == "dead(undeliverable)"
    assert told(stage) == []
    assert waiting_messages(stage, "dead") == []


def test_attempts_that_gave_the_run_back_do_not_count(stage: Stage) -> None:
    task = add(stage, "0 0 * * *")
    dead_letter(stage, row(task, status="retrying", attempt=3, released=2))
    wait(stage, 10)

    assert said(runs(stage, task)[0]) == "succeeded"


def test_one_that_runs_is_left_to_run_and_looked_at_when_its_lease_is_over(stage: Stage) -> None:
    task = add(stage, "0 0 * * *")
    lease_ms = (NOON + 12) * 1000
    dead_letter(stage, row(task, status="running", attempt=1, owner="W", lease_ms=lease_ms))
    wait(stage, 15)
    assert said(runs(stage, task)[0]) == "running"
    wait(stage, 40)

    assert said(runs(stage, task)[0]) == "succeeded"
    assert told(stage)[0] >= (17, 2)
    assert runs(stage, task)[0].life.buried == 0


def test_one_that_is_final_or_gone_is_let_go(stage: Stage) -> None:
    task = add(stage, "0 0 * * *", overlap="queue")
    key = "2026-11-18T12:00:00Z"
    lists = {"holders": [key], "waiting": []}
    put_run(stage, {"task_id": task.task_id, "scheduled_for": "#gate", "rev": 1, "lists": lists})
    dead_letter(stage, row(task, status="succeeded", attempt=1))
    dead_letter(stage, replace(row(task), key="2026-11-18T13:00:00Z"), put=False)
    wait(stage, 10)

    assert waiting_messages(stage, "dead") == []
    assert gate(stage, task) == {"holders": [], "waiting": []}
    assert told(stage) == []


def test_an_unreadable_message_and_an_unreadable_row_stay_among_the_dead(stage: Stage) -> None:
    task = add(stage, "0 0 * * *")
    run = row(task)
    dead_letter(stage, run)
    item = dict(moves.insert(run, now_ms=0).item) | {"life": {"shape": "new"}}
    put_run(stage, item)
    sent(stage, '{"v":2}', "dead")
    wait(stage, 10)

    assert len(waiting_messages(stage, "dead")) == 2
