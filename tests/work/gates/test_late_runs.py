"""Catching up: late slots go one at a time, oldest first, and regular ones behind them."""

from __future__ import annotations

from itertools import pairwise

import pytest

from onthedot.dispatch.dispatcher import dispatch
from onthedot.launch.trigger import trigger
from onthedot.records.keys import GATE
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_spec import Task
from onthedot.registry.run_cancel import cancel
from onthedot.upkeep.claims_audit import audit
from tests.simulation.calm import (
    add,
    employ,
    go,
    left_behind,
    outcomes,
    part,
    purge,
    runs,
    said,
    sent,
    wait,
    waiting_messages,
)
from tests.simulation.faults.faults import CALM, Aim, Fault, Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.stage import Stage, make_stage, staged


def started(found: list[Run]) -> list[str]:
    """Returns their slots, in the order of their starts."""
    ran = [run for run in found if run.life.attempt]
    return [run.key for run in sorted(ran, key=lambda run: run.life.its_attempt.started_ms)]


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
    by_start = sorted(ended, key=lambda run: run.life.its_attempt.started_ms)
    assert all(
        late.life.its_attempt.started_ms >= soon.life.its_end.ended_ms
        for soon, late in pairwise(by_start)
    )
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
        sum(
            one.life.its_attempt.started_ms
            <= run.life.its_attempt.started_ms
            < one.life.its_end.ended_ms
            for one in ended
        )
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


def late_behind_a_regular_one(stage: Stage) -> Task:
    """At 200 s a worker finds a slot late; a regular run holds the place until 250 s."""
    stage.takes_sec = lambda call: 130.0 if call.run_id.endswith("120200Z") else 1.0
    task = add(stage, "1-2 12 * * *", misfire="all", overlap="skip", max_concurrent=1)
    go(stage, 5)
    kept = [body for body in waiting_messages(stage) if "120200Z" in body]
    purge(stage)
    wait(stage, 119)
    sent(stage, kept[0])
    wait(stage, 200)
    audit()
    return task


def test_a_regular_run_that_holds_the_place_is_waited_for(stage: Stage) -> None:
    task = late_behind_a_regular_one(stage)

    wait(stage, 265)

    late, regular = runs(stage, task)
    assert (late.life.status, regular.life.status) == ("succeeded", "succeeded")
    # The end of such a run calls nobody: it looks again by itself.
    assert 0 <= late.life.its_attempt.started_ms - regular.life.its_end.ended_ms <= 11_000


def test_who_waits_for_it_starts_although_sqs_took_no_message_of_its_next_look() -> None:
    stage = make_stage(1, Profile(outages=(Outage(from_sec=208, for_sec=6, queue="normal"),)))
    with staged(stage):
        employ(stage)
        task = late_behind_a_regular_one(stage)
        wait(stage, 1_300)
        stage.world.close()

    assert stage.world.bugs() == []
    assert outcomes(stage, task) == dict.fromkeys(("12:01:00", "12:02:00"), "succeeded")


@pytest.mark.parametrize("overlap", ["skip", "queue"])
def test_the_next_late_slot_is_called_when_sqs_takes_messages_again(overlap: str) -> None:
    """The first one ends while SQS takes none, and the audit is away."""
    stage = make_stage(1, Profile(outages=(Outage(from_sec=310, for_sec=10, queue="normal"),)))
    with staged(stage):
        employ(stage)
        task = add(stage, "1-2 12 * * *", misfire="all", overlap=overlap)
        stage.takes_sec = lambda _: 12.5
        wait(stage, 299)
        go(stage, 400)
        stage.world.close()

    assert stage.world.bugs() == []
    assert outcomes(stage, task) == dict.fromkeys(("12:01:00", "12:02:00"), "succeeded")
    assert len(stage.deliveries) == 2


def test_who_comes_to_the_line_while_a_cancel_ends_it_is_called_in_its_turn() -> None:
    """The cancel saw nobody else in line, and writes so only after the next one has come."""
    stalls = Aim("api#0", "update_item", 1, Fault.STALL_BEFORE, stall_sec=3)
    stage = make_stage(1, CALM, (stalls,))
    with staged(stage):
        employ(stage)
        task = add(stage, "1,5 12 * * *", misfire="all", overlap="queue", timeout_sec=900)
        stage.takes_sec = lambda call: 600.0 if "~m" in call.run_id else 1.0
        trigger(task.task_id)
        wait(stage, 175)
        go(stage, 299)
        (_, first, _) = runs(stage, task)
        stage.world.spawn("api", lambda: cancel(first.run_id))
        wait(stage, 700)
        stage.world.close()

    assert stage.world.bugs() == []
    manual, first, second = runs(stage, task)
    assert [said(run) for run in (manual, first, second)] == [
        "succeeded",
        "cancelled(user)",
        "succeeded",
    ]
    assert 0 < second.life.its_attempt.started_ms - manual.life.its_end.ended_ms < 1_000


def test_a_long_history_makes_no_late_slot_cost_more() -> None:
    """It looks back for older ones over a hundred others, and no further."""
    assert len({reads_of_a_late_slot(earlier) for earlier in (150, 900)}) == 1


def reads_of_a_late_slot(earlier: int) -> int:
    """Plays a late slot after `earlier` runs that are over; counts the queries of its worker."""
    stage = make_stage(1)
    with staged(stage):
        employ(stage)
        task = add(stage, "1 12 * * *", misfire="all", overlap="skip")
        for minute in range(earlier):
            left_behind(stage, task, -minute, status="succeeded")
        wait(stage, 299)
        go(stage, 310)
        stage.world.close()
    assert stage.world.bugs() == []
    assert outcomes(stage, task)["12:01:00"] == "succeeded"
    asked = stage.world.effects()
    return sum(one.operation == "query" and one.process.startswith("work") for one in asked)
