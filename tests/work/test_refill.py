"""A worker that slow runs keep goes on to receive: what it takes, what it leaves to others."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import pytest
from botocore.exceptions import ClientError

from onthedot.launch.trigger import trigger
from onthedot.records.runs.message_pack import of_run
from onthedot.records.tasks.task_spec import Task
from onthedot.store import clock, queue
from onthedot.work import refill
from onthedot.work.gates import waiting_runs
from onthedot.work.worker import work
from tests.simulation.calm import (
    add,
    left_behind,
    outcomes,
    runs,
    said,
    sent,
    told,
    wait,
    waiting_messages,
)
from tests.simulation.outside.consumer import Consumer
from tests.simulation.stage import Stage, make_stage, staged

YEARLY = "0 0 1 1 *"


@pytest.fixture
def stage() -> Iterator[Stage]:
    """Each queue has one place."""
    made = make_stage(1)
    with staged(made):
        clock.correct(0)
        Consumer(made.world, "normal", "work", work, batch=10, at_once_max=1, limit_sec=900)
        yield made
        made.world.close()
    assert made.world.bugs() == []


def slow(stage: Stage, seconds: float = 60) -> Task:
    """Returns a task of acme whose runs take long; those of all others are quick."""
    made = add(stage, YEARLY, name="slow")
    stage.takes_sec = lambda call: seconds if call.tenant_id == "acme" else 0.05
    return made


def quick(stage: Stage, **given: Any) -> Task:  # noqa: ANN401 any field
    return add(stage, YEARLY, name="quick", tenant_id="beta", **given)


def invocations(stage: Stage) -> int:
    return len(
        [
            one
            for one in stage.world.processes
            if one.name.startswith("work#") and "/" not in one.name
        ]
    )


def test_a_run_starts_beside_a_slow_one_in_the_only_place(stage: Stage) -> None:
    first, other = slow(stage), quick(stage)
    trigger(first.task_id)
    wait(stage, 5)
    trigger(other.task_id)
    wait(stage, 7)

    assert [said(run) for run in runs(stage, other)] == ["succeeded"]
    assert [said(run) for run in runs(stage, first)] == ["running"]
    wait(stage, 70)
    stage.last_rows = None
    assert [said(run) for run in runs(stage, first)] == ["succeeded"]
    assert waiting_messages(stage) == []
    assert invocations(stage) == 1


def test_a_quick_run_asks_the_queue_for_nothing_more(stage: Stage) -> None:
    trigger(quick(stage).task_id)
    wait(stage, 20)

    assert not [entry for entry in stage.world.trace if "receive_message" in str(entry[2])]


def test_beyond_its_share_a_tenant_waits_and_says_so(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refill, "OF_TENANT", 1)
    first, other = slow(stage), quick(stage)
    for task in (first, first, other):
        trigger(task.task_id)
        wait(stage, stage.world.now_us / 1_000_000 + 5)

    shown = waiting_runs.shown(runs(stage, first), clock.now_ms())
    assert [said(run) for run in shown] == ["running", "waiting(lane)"]
    assert [said(run) for run in runs(stage, other)] == ["succeeded"]
    wait(stage, 140)
    stage.last_rows = None
    assert [said(run) for run in runs(stage, first)] == ["succeeded"] * 2


def test_a_trigger_that_comes_late_waits_and_says_so(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(refill, "OF_TENANT", 1)
    task = slow(stage, 200)
    trigger(task.task_id)
    trigger(task.task_id)
    normal = stage.world.queues.queue("normal")
    normal.set_visible([*normal.messages.values()][-1], 120)
    wait(stage, 130)

    shown = waiting_runs.shown(runs(stage, task), clock.now_ms())
    assert sorted(said(run) for run in shown) == ["running", "waiting(lane)"]


@pytest.mark.parametrize(
    ("misfire", "said_of_it"), [("none", "missed(policy_none)"), ("latest", "skipped(coalesced)")]
)
def test_a_late_slot_is_judged_although_its_tenant_has_its_share(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, misfire: str, said_of_it: str
) -> None:
    monkeypatch.setattr(refill, "OF_TENANT", 1)
    trigger(slow(stage, 300).task_id)
    task = add(stage, "* * * * *", misfire=misfire)
    left_behind(stage, task)
    wait(stage, 160)
    (left,) = runs(stage, task)
    queue.send([(of_run(left, "resend"), 0)])
    wait(stage, 165)

    assert [said(run) for run in runs(stage, task)] == [said_of_it]
    assert waiting_messages(stage)[1:] == []


def test_what_would_outlive_the_invocation_is_left_to_another(stage: Stage) -> None:
    first, other = slow(stage), quick(stage, timeout_sec=840)
    trigger(first.task_id)
    wait(stage, 5)
    trigger(other.task_id)
    wait(stage, 55)
    assert [said(run) for run in runs(stage, other)] == ["claimed"]

    wait(stage, 120)
    stage.last_rows = None
    assert outcomes(stage, other).popitem()[1] == "succeeded"
    assert invocations(stage) == 2


def test_a_second_message_of_what_is_in_hand_starts_nothing(stage: Stage) -> None:
    first = slow(stage)
    trigger(first.task_id)
    wait(stage, 3)
    (run,) = runs(stage, first)
    entry = f'{{"run_id":"{run.run_id}","attempt":1,"tv":1}}'
    sent(stage, f'{{"v":1,"due_ms":{run.life.due_ms},"why":"resend","runs":[{entry}]}}')
    wait(stage, 120)

    assert [attempt for _, attempt in told(stage)] == [1]
    assert waiting_messages(stage) == []


def test_what_no_release_wrote_is_put_aside(stage: Stage) -> None:
    trigger(slow(stage).task_id)
    wait(stage, 3)
    sent(stage, "no message of ours")
    wait(stage, 10)

    assert waiting_messages(stage) == [
        body for body in waiting_messages(stage) if "ours" not in body
    ]


@pytest.mark.parametrize(("code", "asked"), [("AccessDenied", 1), ("RequestThrottled", 50)])
def test_a_queue_that_refuses_is_asked_no_more(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, code: str, asked: int
) -> None:
    calls = []

    def receive(*_: object, **__: object) -> list[dict[str, Any]]:
        calls.append(code)
        raise ClientError({"Error": {"Code": code, "Message": "no"}}, "ReceiveMessage")

    monkeypatch.setattr(queue, "receive", receive)
    first = slow(stage)
    trigger(first.task_id)
    wait(stage, 70)

    assert [said(run) for run in runs(stage, first)] == ["succeeded"]
    assert asked <= len(calls) <= asked * 1.3
