"""A tick: what shares a message, who takes over what is too much, and that on time goes first."""

from __future__ import annotations

import json
from types import SimpleNamespace
from typing import Any

import pytest

from onthedot.dispatch import dispatcher, due_tasks
from onthedot.dispatch.dispatcher import dispatch
from onthedot.dispatch.due_tasks import Backlog
from onthedot.records.attributes import typed_item
from onthedot.records.keys import SHARDS
from onthedot.records.runs.message_pack import Pack, Ticket
from onthedot.store import siblings, table_reads
from tests.simulation.calm import (
    add,
    go,
    left_behind,
    outcomes,
    part,
    partition,
    runs,
    sent,
    told,
    wait,
    waiting_messages,
)
from tests.simulation.machine.clients import Client
from tests.simulation.stage import Stage


class Lambda:
    """Keeps what it is asked to invoke."""

    exceptions = SimpleNamespace()

    def __init__(self) -> None:
        self.invoked: list[dict[str, Any]] = []

    def invoke(self, **request: object) -> dict[str, int]:
        self.invoked.append(request)
        return {"StatusCode": 202}


def test_runs_of_one_second_queue_and_tenant_share_a_message(stage: Stage) -> None:
    for number in range(30):
        add(stage, "1 12 * * *", name=f"n{number}x")
    add(stage, "1 12 * * *", name="high", priority=1)
    add(stage, "30 1 12 * * *", name="later")

    counts = dispatch(stage.shards()).counts

    bodies = [json.loads(body) for body in waiting_messages(stage)]
    assert sorted(len(body["runs"]) for body in bodies) == [1, 5, 25]
    assert {body["why"] for body in bodies} == {"start"}
    assert all({run["attempt"] for run in body["runs"]} == {1} for body in bodies)
    assert len(waiting_messages(stage, "high")) == 1
    assert (counts["due"], counts["claimed"], counts["sent"], counts["advanced"]) == (32,) * 4


def test_one_tick_lists_what_it_claims_by_the_minute_in_which_it_is_overdue(stage: Stage) -> None:
    for number in range(30):
        add(stage, "*/30 * * * * *", name=f"n{number}x")

    dispatch(stage.shards())

    found = {each["task_id"][:22]: each["count"] for each in partition(stage, "check#")}
    minutes = [f"check#2026-11-18T12:0{minute}" for minute in (1, 2, 3)]
    assert found == dict(zip(minutes, (30, 60, 60), strict=True))


def test_a_second_dispatcher_of_the_same_moment_sends_nothing(stage: Stage) -> None:
    add(stage, "* * * * *")
    dispatch(stage.shards())

    assert "sent" not in dispatch(stage.shards()).counts


def test_a_task_of_every_second_fires_every_second(stage: Stage) -> None:
    task = add(stage, "* * * * * *")
    go(stage, 180)

    assert [at for at, _ in told(stage)][:170] == list(range(1, 171))
    assert len(runs(stage, task)) >= 270


def test_a_pack_that_comes_again_is_split_into_single_messages(stage: Stage) -> None:
    for number in range(3):
        add(stage, "1 12 * * *", name=f"n{number}x")
    stage.kills = lambda call: "N1X" in call.run_id

    go(stage, 400)

    first, second = outcomes(stage, stage.tasks[0]), outcomes(stage, stage.tasks[2])
    assert list(first.values()) == list(second.values()) == ["succeeded"]
    assert "dead" in outcomes(stage, stage.tasks[1])["12:01:00"]
    assert len(stage.killers) == 1


def test_a_doubled_message_executes_nothing_twice(stage: Stage) -> None:
    task = add(stage, "1 12 * * *")
    go(stage, 61)
    ticket = Ticket(f"{task.task_id}.20261118T120100Z", 1, 1)
    sent(stage, Pack(due_ms=0, why="start", tickets=(ticket,)).body())
    wait(stage, 100)

    assert told(stage) == [(60, 1)]
    assert waiting_messages(stage) == []


def test_what_is_too_much_for_one_goes_to_siblings_a_part_each(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    backend = Lambda()
    stage.world.services["lambda"] = Client(stage.world, backend)
    monkeypatch.setenv("AWS_LAMBDA_FUNCTION_NAME", "dispatch")
    monkeypatch.setattr(dispatcher, "DUE_MAX", 1)
    for number in range(40):
        add(stage, "1 12 * * *", name=f"n{number}x")

    counts = dispatch(range(SHARDS)).counts

    asked = [json.loads(request["Payload"])["shards"] for request in backend.invoked]
    assert asked == [[first, first + 31] for first in range(32, SHARDS, 32)]
    assert {request["InvocationType"] for request in backend.invoked} == {"Event"}
    assert 1 < counts["sent"] < 40
    left = sum(dispatch(range(first, last + 1)).counts.get("sent", 0) for first, last in asked)
    assert counts["sent"] + left == 40


def test_outside_lambda_one_dispatcher_does_it_all(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(dispatcher, "DUE_MAX", 1)
    for number in range(40):
        add(stage, "1 12 * * *", name=f"n{number}x")

    assert not siblings.take(range(SHARDS))
    assert dispatch(range(SHARDS)).counts["sent"] == 40


def test_what_is_overdue_waits_behind_what_is_on_time_within_a_budget(stage: Stage) -> None:
    for number in range(60):
        add(stage, "1 12 * * *", name=f"l{number}x")
    add(stage, "*/10 12 * * *", name="on time")
    wait(stage, 590)
    backlog = {"task_id": "backlog", "scheduled_for": "-"}
    trend = [{"N": str(count)} for count in range(600, 606)]
    item = {name: {"S": text} for name, text in backlog.items()}
    circuit = {"mean": {"N": "0"}, "overdue": {"L": trend}, "open": {"BOOL": True}}
    stage.world.store.put_item(TableName="runs", Item=item | circuit)

    counts = dispatch(stage.shards()).counts

    assert counts["backlog"] == 60
    assert counts["sent"] == 51
    assert counts["not_fired"] == 60


def test_what_is_lost_while_the_circuit_is_open_is_missed_for_that(stage: Stage) -> None:
    task = add(stage, "* * * * *", misfire="all", misfire_grace_sec=200)
    wait(stage, 490)
    stage.world.store.put_item(TableName="runs", Item=typed_item(Backlog(open=True).item()))

    dispatch(stage.shards())

    said = outcomes(stage, task)
    assert said["12:01:00"] == said["12:04:00"] == "missed(circuit_open)"
    assert said["12:05:00"] == "claimed"


def test_what_a_dead_tick_has_claimed_is_missed_like_the_rest_while_the_circuit_is_open(
    stage: Stage,
) -> None:
    task = add(stage, "1-2 12 * * *", misfire="all", misfire_grace_sec=200)
    left_behind(stage, task)
    wait(stage, 490)
    stage.world.store.put_item(TableName="runs", Item=typed_item(Backlog(open=True).item()))

    dispatch(stage.shards())

    assert outcomes(stage, task) == dict.fromkeys(("12:01:00", "12:02:00"), "missed(circuit_open)")
    assert part(stage, task, "cursor")["next_run_at"] == "2026-11-19T12:01:00Z"
    assert waiting_messages(stage) == []


@pytest.mark.parametrize("names", [("big", "small"), ("small", "big")])
def test_the_few_overdue_of_one_tenant_are_taken_beside_the_many_of_another(
    stage: Stage, names: tuple[str, str]
) -> None:
    for tenant_id in names:
        for number in range(100 if tenant_id == "big" else 10):
            add(stage, "1 12 * * *", name=f"{tenant_id[0]}{number}x", tenant_id=tenant_id)
    wait(stage, 590)
    stage.world.store.put_item(TableName="runs", Item=typed_item(Backlog(open=True).item()))

    dispatch(stage.shards())

    claimed = [run.tenant_id for run in stage.rows().values()]
    assert (claimed.count("big"), claimed.count("small")) == (40, 10)


def test_a_tick_leaves_when_it_was_with_what_it_writes_anyway(stage: Stage) -> None:
    dispatch(stage.shards())
    first = table_reads.get("runs", due_tasks.KEY) or {}
    wait(stage, 60)
    dispatch(stage.shards())
    second = table_reads.get("runs", due_tasks.KEY) or {}

    assert second["at_ms"] - first["at_ms"] == 60_000
