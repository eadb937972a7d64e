"""Bury: a healthy run gets a fresh message, and only what may never run again is ended."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from onthedot.records.runs import run_writes
from onthedot.records.runs.message_pack import Pack, Ticket
from onthedot.records.runs.run_row import Run, row_key
from onthedot.records.tasks.task_spec import Task
from tests.schedule.samples import lived
from tests.simulation.calm import (
    NOON,
    add,
    gate,
    put_run,
    runs,
    said,
    sent,
    spoil,
    told,
    unsettle,
    wait,
    waiting_messages,
)
from tests.simulation.stage import Stage

# By noon its messages may have died four times: each takes ten receipts of twenty seconds.
GIVEN_UP_MS = (NOON - 800) * 1000


def row(task: Task, **life: Any) -> Run:  # noqa: ANN401 any field
    """Returns a run that is due at noon, claimed unless told otherwise."""
    return Run(
        task_id=task.task_id,
        key="2026-11-18T12:00:00Z",
        tenant_id="acme",
        origin="schedule",
        queue="normal",
        life=lived(**{"due_ms": NOON * 1000, **life}),
    )


def dead_letter(stage: Stage, run: Run, *, put: bool = True) -> None:
    """Puts what SQS gave up on: the row as it stands, and its message among the dead."""
    if put:
        put_run(stage, dict(run_writes.insert(run, now_ms=NOON * 1000).item))
    ticket = Ticket(run.run_id, run.life.starts + 1, 1)
    sent(stage, Pack(due_ms=NOON * 1000, why="start", tickets=(ticket,)).body(), "dead")


def test_a_run_that_may_still_run_is_sent_afresh_and_succeeds(stage: Stage) -> None:
    task = add(stage, "0 0 * * *")
    dead_letter(stage, row(task, due_ms=GIVEN_UP_MS))
    wait(stage, 10)

    (run,) = runs(stage, task)
    assert said(run) == "succeeded"
    assert run.life.buried == 1
    assert waiting_messages(stage, "dead") == []


@pytest.mark.parametrize(
    "life",
    [
        {"buried": 3, "due_ms": GIVEN_UP_MS},
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


@pytest.mark.parametrize("due_sec", [NOON + 60, NOON, NOON - 100])
def test_dead_letters_that_come_too_soon_to_be_the_queues_own_end_no_run(
    stage: Stage, due_sec: int
) -> None:
    task = add(stage, "0 0 * * *", misfire_grace_sec=3_600)
    run = row(task, due_ms=due_sec * 1000)
    dead_letter(stage, run)
    for _ in range(9):
        dead_letter(stage, run, put=False)
    wait(stage, 90)

    (run,) = runs(stage, task)
    assert said(run) == "succeeded"
    assert run.life.buried == 0
    assert waiting_messages(stage, "dead") == []


def test_a_run_that_waits_in_line_is_not_ended_by_dead_letters(stage: Stage) -> None:
    task = add(stage, "0 0 * * *", overlap="queue")
    key, before = "2026-11-18T12:00:00Z", "2026-11-18T11:00:00Z"
    lists = {"holders": [before], "waiting": [key]}
    put_run(stage, {"task_id": task.task_id, "scheduled_for": "#gate", "rev": 1, "lists": lists})
    lease_ms = (NOON + 600) * 1000
    ahead = replace(
        row(task, status="running", attempt=1, owner="W", lease_ms=lease_ms), key=before
    )
    put_run(stage, dict(run_writes.insert(ahead, now_ms=NOON * 1000).item))
    dead_letter(stage, row(task, buried=3, due_ms=GIVEN_UP_MS))
    wait(stage, 10)

    assert [said(run) for run in runs(stage, task)] == ["running", "claimed"]
    assert gate(stage, task) == lists


def test_a_run_that_outside_workers_fetch_is_not_ended_by_dead_letters(stage: Stage) -> None:
    task = add(stage, "0 0 * * *", target={"type": "pull", "queue": "gpu"})
    dead_letter(stage, replace(row(task, buried=3, due_ms=GIVEN_UP_MS), queue="pull:2:gpu"))
    wait(stage, 10)

    assert said(runs(stage, task)[0]) == "claimed"
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
    # As soon as its lease and what two clocks may differ by are over, and not minutes later.
    assert [(17, 2) <= each <= (20, 2) for each in told(stage)] == [True]
    assert runs(stage, task)[0].life.buried == 0


@pytest.mark.parametrize("status", ["running", "awaiting"])
@pytest.mark.parametrize(("over_sec", "left_alone"), [(3, True), (8, False)])
def test_one_whose_lease_is_over_by_another_clock_is_not_ended_yet(
    stage: Stage, status: str, over_sec: int, *, left_alone: bool
) -> None:
    task = add(stage, "0 0 * * *", max_attempts=1)
    lease_ms = (NOON - over_sec) * 1000
    dead_letter(stage, row(task, status=status, attempt=1, owner="W", lease_ms=lease_ms))
    wait(stage, 1)

    assert (said(runs(stage, task)[0]) == status) == left_alone


@pytest.mark.parametrize(
    ("buried", "due_ago_sec", "counted"),
    [(0, 193, 0), (0, 195, 1), (1, 393, 1), (1, 395, 2), (2, 593, 2), (2, 595, 3)],
)
def test_a_dead_letter_counts_once_all_of_its_receipts_can_have_been(
    stage: Stage, buried: int, due_ago_sec: int, counted: int
) -> None:
    """Each takes a lease of twenty seconds, and the first comes five seconds early at most."""
    task = add(stage, "0 0 * * *", misfire_grace_sec=3_600)
    dead_letter(stage, row(task, buried=buried, due_ms=(NOON - due_ago_sec) * 1000))
    wait(stage, 10)

    (run,) = runs(stage, task)
    assert (said(run), run.life.buried) == ("succeeded", counted)


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


def test_a_newer_message_and_an_unreadable_row_stay_among_the_dead(stage: Stage) -> None:
    task = add(stage, "0 0 * * *")
    run = row(task)
    dead_letter(stage, run)
    item = dict(run_writes.insert(run, now_ms=0).item) | {"life": {"shape": "new"}}
    put_run(stage, item)
    sent(stage, '{"v":2}', "dead")
    wait(stage, 10)

    assert len(waiting_messages(stage, "dead")) == 2


def test_a_run_whose_task_cannot_be_read_stays_among_the_dead(stage: Stage) -> None:
    task = add(stage, "0 0 * * *")
    spoil(stage, task, "spec", payload="{")
    dead_letter(stage, row(task))
    wait(stage, 10)

    assert len(waiting_messages(stage, "dead")) == 1
    assert waiting_messages(stage) == []
    assert told(stage) == []


def test_a_run_that_is_ended_gives_its_place_to_the_next(stage: Stage) -> None:
    task = add(stage, "0 0 * * *", overlap="queue")
    spent = row(task, status="retrying", attempt=task.max_attempts)
    lists = {"holders": [spent.key], "waiting": []}
    put_run(stage, {"task_id": task.task_id, "scheduled_for": "#gate", "rev": 1, "lists": lists})
    dead_letter(stage, spent)
    wait(stage, 10)

    assert said(runs(stage, task)[0]) == "dead(undeliverable)"
    assert gate(stage, task) == {"holders": [], "waiting": []}


def test_a_row_that_changes_as_its_run_is_ended_keeps_its_dead_letter(stage: Stage) -> None:
    task = add(stage, "0 0 * * *")
    spent = row(task, status="retrying", attempt=task.max_attempts)
    dead_letter(stage, spent)
    unsettle(stage, row_key(spent.run_id), "life.tv", since=0, sec=1)
    wait(stage, 10)

    assert said(runs(stage, task)[0]) == "retrying"
    assert len(waiting_messages(stage, "dead")) == 1
