"""Backfill: planned first, so many a minute, each slot once however often a step dies."""

from __future__ import annotations

import pytest

from onthedot.core.backfill import Backfill
from onthedot.core.policy import Answer, Dead, Done
from onthedot.flows import backfill, register
from onthedot.flows.cancel import cancel
from tests.flows.calm import NOON, add, employ, go, outcomes, part, partition, runs, said, wait
from tests.simulation.exhaust import singles
from tests.simulation.faults import CALM, Aim
from tests.simulation.stage import Stage, make_stage, staged
from tests.simulation.world import World

HOUR = 3_600


def wanted(task_id: str, first: int, last: int, **given: bool | int) -> Backfill:
    """The slots between two times, in seconds from noon."""
    return Backfill(
        backfill_id="bkf_1",
        task_id=task_id,
        first=NOON + first,
        last=NOON + last,
        cursor=NOON + first,
        only_missing=bool(given.get("only_missing", True)),
        per_minute=int(given.get("per_minute", 60)),
    )


def test_a_plan_names_the_slots_and_changes_nothing(stage: Stage) -> None:
    task = add(stage, "*/15 * * * *")
    before = len(stage.world.effects())

    assert backfill.plan(wanted(task.task_id, -HOUR, -1)) == [
        NOON - HOUR + quarter * 900 for quarter in range(4)
    ]
    writes = [each.operation for each in stage.world.effects()[before:]]
    assert set(writes) <= {"batch_get_item", "query"}
    assert backfill.plan(wanted("sch_NONE", -HOUR, -1)) == []


def test_it_runs_each_slot_under_a_key_of_its_own_and_moves_no_cursor(stage: Stage) -> None:
    task = add(stage, "*/15 * * * *")
    cursor = part(stage, task, "cursor")

    assert backfill.begin(wanted(task.task_id, -HOUR, 0))
    assert backfill.step() == 5
    wait(stage, 30)

    assert outcomes(stage, task) == {
        f"{at}:00Z~b1": "succeeded" for at in ("11:00", "11:15", "11:30", "11:45", "12:00")
    }
    assert {run.origin for run in runs(stage, task)} == {"backfill"}
    assert {run.backfill_id for run in runs(stage, task)} == {"bkf_1"}
    assert runs(stage, task)[0].slot == "2026-11-18T11:00:00Z"
    assert part(stage, task, "cursor") == cursor
    assert partition(stage, "backfill#") == []


def test_one_that_has_begun_does_not_begin_again(stage: Stage) -> None:
    task = add(stage, "*/15 * * * *")

    assert backfill.begin(wanted(task.task_id, -HOUR, 0))
    assert not backfill.begin(wanted(task.task_id, -HOUR, 0))


def test_a_minute_launches_no_more_than_its_rate(stage: Stage) -> None:
    task = add(stage, "*/10 * * * * *")
    backfill.begin(wanted(task.task_id, -100, -1, per_minute=4))

    assert [backfill.step() for _ in range(4)] == [4, 4, 2, 0]


def test_what_succeeded_or_is_open_is_left_alone_and_the_rest_runs(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    stage.answer = lambda call: Dead("permanent") if _minute(call.run_id) == 2 else Done()
    go(stage, 190)
    stage.answer = lambda _: Done()

    asked = wanted(task.task_id, 1, 240)
    assert backfill.plan(asked) == [NOON + 120]
    backfill.begin(asked)
    assert backfill.step() == 1
    wait(stage, 195)

    told_now = outcomes(stage, task)
    assert told_now["12:02:00"] == "dead(permanent)"
    assert told_now["12:02:00Z~b1"] == "succeeded"


def test_not_only_missing_runs_what_succeeded_again(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    go(stage, 130)

    assert backfill.plan(wanted(task.task_id, 1, 130, only_missing=False)) == [
        NOON + 60,
        NOON + 120,
    ]


@pytest.mark.parametrize(
    ("first", "following"),
    [(Dead("permanent"), "12:01:00Z~b2"), (Done(), None)],
)
def test_the_next_number_comes_after_a_dead_one_only(
    stage: Stage, first: Answer, following: str | None
) -> None:
    task = add(stage, "* * * * *", status="paused")
    stage.answer = lambda _: first
    for at_sec in (70, 80):
        backfill.begin(wanted(task.task_id, 60, 60))
        backfill.step()
        wait(stage, at_sec)
        stage.answer = lambda _: Done()

    keys = list(outcomes(stage, task))
    assert keys == ["12:01:00Z~b1", following][: 1 + (following is not None)]


def test_a_cancelled_one_is_run_again_and_an_open_one_is_not(stage: Stage) -> None:
    task = add(stage, "0 0 * * *")
    asked = wanted(task.task_id, -13 * HOUR, 0)
    stage.takes_sec = lambda _: 30
    backfill.begin(asked)
    backfill.step()
    wait(stage, 2)
    assert backfill.plan(asked) == []

    cancel(runs(stage, task)[0].run_id)
    wait(stage, 20)

    assert said(runs(stage, task)[0]) == "cancelled(user)"
    assert len(backfill.plan(asked)) == 1


def test_stopped_it_launches_no_more_and_what_runs_goes_on(stage: Stage) -> None:
    task = add(stage, "* * * * *", status="paused")
    backfill.begin(wanted(task.task_id, -600, -1, per_minute=3))
    backfill.step()

    backfill.stop("bkf_1")

    assert backfill.step() == 0
    wait(stage, 10)
    assert list(outcomes(stage, task).values()) == ["succeeded"] * 3


def test_a_deleted_task_ends_it(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    backfill.begin(wanted(task.task_id, -600, -1))
    register.delete(task.task_id)

    assert backfill.step() == 0
    assert partition(stage, "backfill#") == []


def _minute(run_id: str) -> int:
    return int(run_id.split("T")[1][2:4])


def _history(aims: tuple[Aim, ...]) -> World:
    """Ten slots, four a minute, audited; a step may die anywhere."""
    stage = make_stage(1, CALM, aims)
    world = stage.world
    with staged(stage):
        task = add(stage, "* * * * *", status="paused")
        backfill.begin(wanted(task.task_id, -600, -1, per_minute=4))
        world.every(60, "step", lambda _: backfill.step(), first_sec=1, until_sec=300)
        for at_sec in (1, 121):
            world.spawn("step", backfill.step, at_sec=at_sec + 2.0)
        employ(stage)
        go(stage, 900, audited=True)
        world.close()
    found = [said(run) for run in runs(stage, task)]
    assert found == ["succeeded"] * 10, (aims, found)
    assert sorted(set(delivered(stage))) == sorted(delivered(stage))
    assert world.bugs() == []
    return world


def delivered(stage: Stage) -> list[tuple[str, int]]:
    """Which attempts reached the target."""
    return [(each.run_id, each.attempt) for each in stage.deliveries]


def test_a_step_that_dies_at_any_effect_doubles_and_loses_nothing() -> None:
    plans = [aims for aims in singles(_history) if aims[0].process.startswith("step")]

    assert len([_history(aims) for aims in plans]) > 40
