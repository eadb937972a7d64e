"""Catching up: late slots go one at a time, oldest first, and regular ones behind them."""

from __future__ import annotations

from itertools import pairwise

import pytest

from onthedot.core.keys import GATE
from onthedot.core.run import Run
from onthedot.flows.audit import audit
from onthedot.flows.dispatch import dispatch
from tests.flows.calm import (
    add,
    employ,
    go,
    outcomes,
    part,
    purge,
    runs,
    sent,
    wait,
    waiting_messages,
)
from tests.simulation.faults import CALM, Aim, Fault
from tests.simulation.stage import Stage, make_stage, staged


def started(found: list[Run]) -> list[str]:
    """Their slots, in the order of their starts."""
    ran = [run for run in found if run.life.attempt]
    return [run.key for run in sorted(ran, key=lambda run: run.life.started_ms)]


@pytest.mark.parametrize("overlap", ["skip", "queue"])
def test_after_an_outage_each_slot_runs_once_and_in_order(stage: Stage, overlap: str) -> None:
    task = add(stage, "* * * * *", misfire="all", overlap=overlap, max_concurrent=1, queue_max=1)
    stage.takes_sec = lambda _: 20.0
    wait(stage, 599)

    go(stage, 1_200)

    ended = [run for run in runs(stage, task) if run.final]
    assert len(ended) > 15
    assert {run.life.status for run in ended} == {"succeeded"}
    assert started(ended) == [run.key for run in ended]
    by_start = sorted(ended, key=lambda run: run.life.started_ms)
    assert all(late.life.started_ms >= soon.life.ended_ms for soon, late in pairwise(by_start))
    item = stage.world.store.table("runs").rows.items.get((task.task_id, GATE))
    # The line is no part of the gate.
    assert item is None or len(str(item)) < 600


@pytest.mark.parametrize(("most", "expected"), [(3, 3), (None, 10)])
def test_runs_that_may_overlap_catch_up_side_by_side(
    stage: Stage, most: int | None, expected: int
) -> None:
    task = add(
        stage, "*/20 * * * * *", misfire="all", overlap="allow", max_concurrent=most, end_sec=500
    )
    stage.takes_sec = lambda _: 20.0
    wait(stage, 599)

    go(stage, 1_500)

    ended = runs(stage, task)
    assert {run.life.status for run in ended} == {"succeeded"}
    beside = [
        sum(one.life.started_ms <= run.life.started_ms < one.life.ended_ms for one in ended)
        for run in ended
    ]
    assert max(beside) == expected


def test_a_claimed_slot_whose_message_is_lost_for_long_is_judged_by_its_worker(
    stage: Stage,
) -> None:
    tasks = {
        policy: add(stage, "1 12 * * *", name=policy, misfire=policy, max_runs=2)
        for policy in ("none", "all", "latest")
    }
    go(stage, 5)
    purge(stage)
    wait(stage, 160)
    audit()

    go(stage, 200)

    said = {policy: list(outcomes(stage, task).values()) for policy, task in tasks.items()}
    assert said == {
        "none": ["missed(policy_none)"],
        "all": ["succeeded"],
        # No newer one was due.
        "latest": ["succeeded"],
    }
    assert [run.origin for run in runs(stage, tasks["all"])] == ["catchup"]
    left = {policy: part(stage, task, "cursor")["runs_left"] for policy, task in tasks.items()}
    assert left == {"none": 2, "all": 1, "latest": 1}


@pytest.mark.parametrize(
    ("misfire", "expected", "origin"),
    [("none", "missed(policy_none)", "schedule"), ("all", "succeeded", "catchup")],
)
def test_what_becomes_late_while_it_gets_its_place_is_asked_about(
    misfire: str, expected: str, origin: str
) -> None:
    stalls = Aim("work#0", "get_item", 0, Fault.STALL_AFTER, stall_sec=5)
    stage = make_stage(1, CALM, (stalls,))
    with staged(stage):
        employ(stage)
        task = add(stage, "1 12 * * *", misfire=misfire, overlap="skip")
        dispatch(stage.shards())
        kept = waiting_messages(stage)
        purge(stage)
        wait(stage, 147)
        sent(stage, kept[0])
        wait(stage, 400)

    assert outcomes(stage, task) == {"12:01:00": expected}
    assert [run.origin for run in runs(stage, task)] == [origin]


def test_a_regular_run_that_holds_the_place_is_waited_for(stage: Stage) -> None:
    stage.takes_sec = lambda call: 130.0 if call.run_id.endswith("120200Z") else 1.0
    task = add(stage, "1-2 12 * * *", misfire="all", overlap="skip", max_concurrent=1)
    go(stage, 5)
    kept = [body for body in waiting_messages(stage) if "120200Z" in body]
    purge(stage)
    wait(stage, 119)
    sent(stage, kept[0])
    wait(stage, 200)
    audit()

    wait(stage, 265)

    late, regular = runs(stage, task)
    assert (late.life.status, regular.life.status) == ("succeeded", "succeeded")
    # The end of such a run calls nobody: it looks again by itself.
    assert 0 <= late.life.started_ms - regular.life.ended_ms <= 11_000
