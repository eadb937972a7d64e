"""Who leaves a place calls the next one: also while SQS takes no message, and the audit is away."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from onthedot.launch.trigger import trigger
from onthedot.records.runs import run_writes
from onthedot.records.runs.run_row import Run, row_key
from onthedot.registry.run_cancel import cancel
from onthedot.work.gates import concurrency_key, tenant_line
from tests.simulation.calm import FREE, add, employ, go, purge, put_run, runs, said, unsettle, wait
from tests.simulation.faults.faults import Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.stage import Stage, make_stage, staged

KEY = {"shown": {"concurrency_key": {"key": "all", "max_running": 1}}, **FREE}
PLACES: dict[str, dict[str, Any]] = {"gate": {"overlap": "queue"}, "key": KEY, "quota": FREE}


def played(place: str, outage: Outage, *, stops: bool = False) -> Stage:
    """Lets two runs want one place; the first has it for five seconds, unless
    it is cancelled.
    """
    stage = make_stage(1, Profile(outages=(outage,)))
    with staged(stage):
        employ(stage)
        if place == "quota":
            tenant_line.set_limit("acme", 1)
        task = add(stage, "0 0 1 1 *", **PLACES[place])
        stage.takes_sec = lambda call: 5 if call.attempt == 1 else 0.1
        begun = [trigger(task.task_id) for _ in range(2)]
        wait(stage, 3)
        if stops and begun[1]:
            cancel(begun[1].run_id)
        wait(stage, 60)
        stage.world.close()
    assert stage.world.bugs() == []
    return stage


@pytest.mark.parametrize("place", PLACES)
def test_the_next_one_is_called_when_sqs_takes_messages_again(place: str) -> None:
    stage = played(place, Outage(from_sec=4, for_sec=6, queue="normal"))

    assert [said(run) for run in runs(stage, stage.tasks[0])] == ["succeeded"] * 2
    assert len(stage.deliveries) == 2


@pytest.mark.parametrize("place", PLACES)
def test_who_is_cancelled_in_the_line_is_called_by_nobody(place: str) -> None:
    stage = played(place, Outage(from_sec=100, for_sec=1, queue="normal"), stops=True)

    assert sorted(said(run) for run in runs(stage, stage.tasks[0])) == [
        "cancelled(user)",
        "succeeded",
    ]
    assert len(stage.deliveries) == 1


def test_no_more_of_a_line_is_read_than_was_asked_for() -> None:
    stage = make_stage(1)
    with staged(stage):
        employ(stage)
        tenant_line.set_limit("acme", 1)
        stage.takes_sec = lambda _: 30
        tasks = [add(stage, "0 0 1 1 *", name=f"t{number}", **FREE) for number in range(4)]
        for task in tasks:
            trigger(task.task_id)
        wait(stage, 5)

        assert [len(tenant_line.entries("acme", most)) for most in (1, 2, 5)] == [1, 2, 3]
        stage.world.close()


@pytest.mark.parametrize("place", ["gate", "key"])
def test_who_finds_a_free_place_and_another_first_in_line_calls_that_one(place: str) -> None:
    """The first one's own message is lost; its finder cannot call it at once."""
    outage = Outage(from_sec=59.5, for_sec=10, queue="normal")
    stage = make_stage(1, Profile(outages=(outage,)))
    with staged(stage):
        employ(stage)
        task = add(stage, "1 12 * * *", **PLACES[place])
        first = trigger(task.task_id)
        assert first is not None
        purge(stage)
        go(stage, 3)
        _stand_in_line(stage, first)
        wait(stage, 120)
        stage.world.close()

    assert stage.world.bugs() == []
    assert [said(run) for run in runs(stage, task)] == ["succeeded"] * 2
    assert stage.deliveries[0].run_id == first.run_id


def _stand_in_line(stage: Stage, run: Run) -> None:
    """Puts it where it would have joined."""
    limit = concurrency_key.limit_of(stage.tasks[0], {})
    key = concurrency_key.gate_key(limit.place if limit else run.task_id)
    lists = {"holders": [], "waiting": [run.run_id if limit else run.key]}
    put_run(stage, key | {"rev": 1, "lists": lists})
    if limit:
        named = replace(run, life=replace(run.life, key_gate=limit.place))
        put_run(stage, dict(run_writes.insert(named, now_ms=run.life.due_ms).item))


def test_a_start_that_is_refused_gives_its_permit_to_who_waits(stage: Stage) -> None:
    tenant_line.set_limit("acme", 1)
    task = add(stage, "0 0 1 1 *", **FREE)
    first, second = trigger(task.task_id), trigger(task.task_id)
    assert first is not None
    assert second is not None
    unsettle(stage, row_key(first.run_id), "life.tv", since=0, sec=1)

    wait(stage, 2)
    assert [said(stage.rows()[run.run_id]) for run in (first, second)] == ["claimed", "succeeded"]
    wait(stage, 100)
    assert said(stage.rows()[first.run_id]) == "succeeded"
