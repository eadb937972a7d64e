"""What a queue holds and no release of ours wrote is told once, counted, and gone."""

from __future__ import annotations

import json
import logging
from dataclasses import replace

import pytest

from onthedot.records.runs import run_writes
from onthedot.records.runs.message_pack import Pack, Ticket
from onthedot.records.runs.run_row import Life, Run
from onthedot.records.runs.run_status import Status
from onthedot.records.tasks.task_spec import Task
from tests.records.runs.test_message_pack import HOSTILE
from tests.simulation.calm import (
    FREE,
    NOON,
    add,
    put_run,
    runs,
    said,
    sent,
    spoil,
    wait,
    waiting_messages,
)
from tests.simulation.stage import Stage

KEY = "2026-11-18T12:00:03Z"


def claimed(stage: Stage, task: Task, queue: str = "normal") -> Run:
    """Returns a run that is due three seconds after noon."""
    life = Life(status=Status.CLAIMED, tv=1, schedule_version=1, due_ms=(NOON + 3) * 1000)
    run = Run(
        task_id=task.task_id,
        key=KEY,
        tenant_id="acme",
        origin="schedule",
        queue=queue,
        life=life,
    )
    put_run(stage, dict(run_writes.insert(run, now_ms=NOON * 1000).item))
    return run


def message(*tickets: Ticket, due_ms: int = (NOON + 3) * 1000, why: str = "start") -> str:
    return Pack(due_ms=due_ms, why=why, tickets=tickets).body()


def told(caplog: pytest.LogCaptureFixture) -> list[str]:
    return [record.getMessage() for record in caplog.records if record.levelno >= logging.WARNING]


def counted(capsys: pytest.CaptureFixture[str]) -> int:
    lines = [line for line in capsys.readouterr().out.splitlines() if '"put_aside"' in line]
    return int(sum(json.loads(line)["put_aside"][0] for line in lines))


@pytest.mark.parametrize("queue", ["normal", "dead"])
def test_texts_that_are_no_messages_are_told_counted_and_gone(
    stage: Stage,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    queue: str,
) -> None:
    bodies = [body for body in HOSTILE.values() if body]
    for body in bodies:
        sent(stage, str(body), queue)
    wait(stage, 60)

    assert waiting_messages(stage, queue) == []
    assert len(told(caplog)) == len(bodies)
    assert "it begins 'hello'" in "".join(told(caplog))
    assert max(map(len, told(caplog))) < 1_000
    assert counted(capsys) == len(bodies)


@pytest.mark.parametrize("queue", ["normal", "dead"])
def test_a_run_without_a_row_is_told_and_its_neighbour_in_the_pack_runs(
    stage: Stage,
    caplog: pytest.LogCaptureFixture,
    capsys: pytest.CaptureFixture[str],
    queue: str,
) -> None:
    task = add(stage, "0 0 * * *")
    run = claimed(stage, task)
    gone = f"{task.task_id}.20200101T000000Z"
    sent(stage, message(Ticket(gone, 1, 1), Ticket(run.run_id, 1, 1)), queue)
    wait(stage, 30)

    assert said(runs(stage, task)[0]) == "succeeded"
    assert waiting_messages(stage, queue) == []
    assert told(caplog) == [f"put aside run {gone}: it has no row"]
    assert counted(capsys) == 1


def test_an_entry_that_names_no_run_is_told_and_its_neighbour_runs(
    stage: Stage, caplog: pytest.LogCaptureFixture, capsys: pytest.CaptureFixture[str]
) -> None:
    task = add(stage, "0 0 * * *")
    form = json.loads(message(Ticket(claimed(stage, task).run_id, 1, 1)))
    form["runs"] += [{"run_id": 7}, {"run_id": ["list"], "attempt": 1, "tv": 1}]
    sent(stage, json.dumps(form))
    wait(stage, 30)

    assert said(runs(stage, task)[0]) == "succeeded"
    (words,) = told(caplog)
    assert words.startswith("put aside 2 entries of message ")
    assert counted(capsys) == 2


@pytest.mark.parametrize("due_ms", [0, 7_258_118_399_999])
@pytest.mark.parametrize("attempt", [1, 10**8])
def test_a_false_message_about_a_real_run_moves_no_start(
    stage: Stage, due_ms: int, attempt: int
) -> None:
    task = add(stage, "0 0 * * *")
    run = claimed(stage, task)
    sent(stage, message(Ticket(run.run_id, attempt, 10**8), due_ms=due_ms, why="poll"))
    sent(stage, message(Ticket(run.run_id, 1, 1)))
    wait(stage, 30)

    (row,) = runs(stage, task)
    assert (said(row), row.life.starts) == ("succeeded", 1)
    assert 0 <= row.life.its_attempt.started_ms - row.life.due_ms < 1_000


def test_a_message_cannot_start_what_outside_workers_fetch(stage: Stage) -> None:
    task = add(stage, "0 0 * * *", target={"type": "pull", "queue": "gpu"})
    pulled = claimed(stage, task, "pull:2:gpu")
    other = add(stage, "0 0 * * *", name="other")
    healthy = claimed(stage, other)
    for run in (pulled, healthy):
        sent(stage, message(Ticket(run.run_id, 1, 1)))
    wait(stage, 30)

    assert said(runs(stage, task)[0]) == "claimed"
    assert said(runs(stage, other)[0]) == "succeeded"
    assert waiting_messages(stage) == []


def test_a_newer_releases_message_is_left_as_it_is(
    stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    sent(stage, '{"v":2,"runs":"in another form"}')
    wait(stage, 5)

    assert len(waiting_messages(stage)) == 1
    assert told(caplog) == []


def test_many_runs_of_one_message_are_no_pack(stage: Stage) -> None:
    task = add(stage, "0 0 * * *")
    run = claimed(stage, task)
    sent(stage, message(*[replace(Ticket(run.run_id, 1, 1), attempt=n) for n in range(1, 4_000)]))
    wait(stage, 1)

    assert waiting_messages(stage) == []


SHAPES: dict[str, dict[str, object]] = {
    "another retry": {"retry": {"shape": "new"}},
    "another payload": {"payload": "{"},
    "no target": {"target": "https://example.com"},
    "another schedule": {"compiled": b"\xff"},
    "another priority": {"priority": 9},
}


@pytest.mark.parametrize("queue", ["normal", "dead"])
@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_task_that_no_version_of_ours_can_read_holds_up_no_other_run(
    stage: Stage, shape: dict[str, object], queue: str
) -> None:
    strange, other = add(stage, "0 0 * * *"), add(stage, "0 0 * * *", name="other")
    held, healthy = claimed(stage, strange), claimed(stage, other)
    spoil(stage, strange, "spec", **shape)
    sent(stage, message(Ticket(held.run_id, 1, 1), Ticket(healthy.run_id, 1, 1)), queue)
    wait(stage, 60)

    assert said(runs(stage, other)[0]) == "succeeded"
    # It is not taken for a deleted one: it waits, and then lies among the dead.
    assert said(runs(stage, strange)[0]) == "claimed"
    assert waiting_messages(stage, "normal") or waiting_messages(stage, "dead")


@pytest.mark.parametrize(("overlap", "waited"), [("allow", ""), ("skip", ""), ("queue", "line")])
def test_a_message_hides_no_late_start_of_a_run_that_can_stand_in_no_line(
    stage: Stage, overlap: str, waited: str
) -> None:
    task = add(stage, "0 0 * * *", **(FREE if overlap == "allow" else {"overlap": overlap}))
    run = claimed(stage, task)
    sent(stage, message(Ticket(run.run_id, 1, 1), why="wake"))
    wait(stage, 30)

    (row,) = runs(stage, task)
    assert (said(row), row.life.waited) == ("succeeded", waited)
