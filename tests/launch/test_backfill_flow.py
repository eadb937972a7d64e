"""Backfill: planned first, so many a minute, each slot once however often a step dies."""

from __future__ import annotations

import pytest

from onthedot.launch import backfill_flow
from onthedot.launch.backfill import Backfill, Past, loop
from onthedot.records.attributes import typed_item
from onthedot.records.runs.run_status import Reason
from onthedot.records.tasks.bulk_operation import Loop, Named
from onthedot.records.tasks.task_spec import Task
from onthedot.registry.run_cancel import cancel
from onthedot.targets.attempt_outcome import Answer, Dead, Done
from onthedot.upkeep import bulk_operations
from tests.simulation.calm import (
    NOON,
    add,
    employ,
    go,
    outcomes,
    part,
    partition,
    runs,
    said,
    wait,
    waiting_messages,
)
from tests.simulation.faults.faults import CALM, Aim
from tests.simulation.machine.world import World
from tests.simulation.play.exhaust import singles
from tests.simulation.stage import Stage, make_stage, staged
from tests.simulation.users import user

HOUR = 3_600


def wanted(task: Task, first: int, last: int, *, only_missing: bool = True) -> Backfill:
    """Returns the slots between two times, in seconds from noon."""
    return Backfill(
        task_id=task.task_id, first=NOON + first, last=NOON + last, only_missing=only_missing
    )


def begin(task: Task, first: int, last: int, name: str = "bkf_1", *, per_minute: int = 60) -> bool:
    """Starts a backfill of these slots."""
    named = Named(loop_id=name, tenant_id=task.tenant_id, by="key_1", began_ms=NOON * 1000)
    return bulk_operations.begin(loop(wanted(task, first, last), named, per_minute=per_minute))


def step() -> int:
    """A minute's step of all backfills: how many runs it launched."""
    return bulk_operations.step()["backfilled"]


def plan(task: Task, first: int, last: int, *, only_missing: bool = True) -> list[int]:
    """Returns the slots that would be run now."""
    return backfill_flow.plan(task, wanted(task, first, last, only_missing=only_missing), 1_000)


def shown(task: Task) -> Loop:
    """Returns how far it is."""
    found = bulk_operations.read("backfill", task.tenant_id, "bkf_1")
    assert found is not None
    return found


def test_a_plan_names_the_slots_and_changes_nothing(stage: Stage) -> None:
    task = add(stage, "*/15 * * * *")
    before = len(stage.world.effects())

    assert plan(task, -HOUR, -1) == [NOON - HOUR + quarter * 900 for quarter in range(4)]
    writes = [each.operation for each in stage.world.effects()[before:]]
    assert set(writes) <= {"batch_get_item", "query"}


def test_it_runs_each_slot_under_a_key_of_its_own_and_moves_no_cursor(stage: Stage) -> None:
    task = add(stage, "*/15 * * * *")
    cursor = part(stage, task, "cursor")

    assert begin(task, -HOUR, 0)
    assert step() == 5
    wait(stage, 30)

    assert outcomes(stage, task) == {
        f"{at}:00Z~b1": "succeeded" for at in ("11:00", "11:15", "11:30", "11:45", "12:00")
    }
    assert {run.origin for run in runs(stage, task)} == {"backfill"}
    assert {run.backfill_id for run in runs(stage, task)} == {"bkf_1"}
    assert runs(stage, task)[0].slot == "2026-11-18T11:00:00Z"
    assert part(stage, task, "cursor") == cursor
    assert partition(stage, "loops#") == []


def test_one_that_has_begun_does_not_begin_again(stage: Stage) -> None:
    task = add(stage, "*/15 * * * *")

    assert begin(task, -HOUR, 0)
    assert not begin(task, -HOUR, 0)


def test_a_minute_launches_no_more_than_its_rate(stage: Stage) -> None:
    task = add(stage, "*/10 * * * * *")
    begin(task, -100, -1, per_minute=4)

    launched = []
    for minute in range(1, 5):
        launched += [step(), step()]
        wait(stage, minute * 60)

    assert launched == [4, 0, 4, 0, 2, 0, 0, 0]


@pytest.mark.parametrize("later_sec", [0, 5])
def test_a_slot_that_another_backfill_has_filled_counts_for_that_one_only(
    stage: Stage, monkeypatch: pytest.MonkeyPatch, later_sec: int
) -> None:
    """Even if the second one looked at the slot first, and even if the run has started since."""
    task = add(stage, "*/15 * * * *")
    begin(task, -HOUR, -1, "bkf_1")
    assert step() == 4
    wait(stage, later_sec)
    begin(task, -HOUR, -1, "bkf_2")
    monkeypatch.setattr(backfill_flow, "_past", lambda _task, _slots: Past.of([]))

    assert step() == 0

    wait(stage, later_sec + 10)
    assert len(runs(stage, task)) == len(stage.deliveries) == 4
    assert shown(task).counts["done"] == 4


def test_what_succeeded_or_is_open_is_left_alone_and_the_rest_runs(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    stage.answer = lambda call: Dead(Reason.PERMANENT) if _minute(call.run_id) == 2 else Done()
    go(stage, 190)
    stage.answer = lambda _: Done()

    assert plan(task, 1, 240) == [NOON + 120]
    begin(task, 1, 240)
    assert step() == 1
    wait(stage, 195)

    told_now = outcomes(stage, task)
    assert told_now["12:02:00"] == "dead(permanent)"
    assert told_now["12:02:00Z~b1"] == "succeeded"


def test_not_only_missing_runs_what_succeeded_again(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    go(stage, 130)

    assert plan(task, 1, 130, only_missing=False) == [
        NOON + 60,
        NOON + 120,
    ]


@pytest.mark.parametrize(
    ("first", "following"),
    [(Dead(Reason.PERMANENT), "12:01:00Z~b2"), (Done(), None)],
)
def test_the_next_number_comes_after_a_dead_one_only(
    stage: Stage, first: Answer, following: str | None
) -> None:
    task = add(stage, "* * * * *", status="paused")
    stage.answer = lambda _: first
    for at_sec in (70, 80):
        begin(task, 60, 60, f"bkf_{at_sec}")
        step()
        wait(stage, at_sec)
        stage.answer = lambda _: Done()

    keys = list(outcomes(stage, task))
    assert keys == ["12:01:00Z~b1", following][: 1 + (following is not None)]


def test_a_cancelled_one_is_run_again_and_an_open_one_is_not(stage: Stage) -> None:
    task = add(stage, "0 0 * * *")
    stage.takes_sec = lambda _: 30
    begin(task, -13 * HOUR, 0)
    step()
    wait(stage, 2)
    assert plan(task, -13 * HOUR, 0) == []

    cancel(runs(stage, task)[0].run_id)
    wait(stage, 20)

    assert said(runs(stage, task)[0]) == "cancelled(user)"
    assert len(plan(task, -13 * HOUR, 0)) == 1


def test_stopped_it_launches_no_more_and_what_runs_goes_on(stage: Stage) -> None:
    task = add(stage, "* * * * *", status="paused")
    begin(task, -600, -1, per_minute=3)
    step()

    bulk_operations.stop("backfill", task.tenant_id, "bkf_1")

    assert step() == 0
    wait(stage, 10)
    assert list(outcomes(stage, task).values()) == ["succeeded"] * 3


def test_a_deleted_task_ends_it(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    begin(task, -600, -1)
    user.delete(task.task_id)

    assert step() == 0
    assert partition(stage, "loops#") == []


def test_it_says_how_far_it_is_and_when_it_ended(stage: Stage) -> None:
    task = add(stage, "*/10 * * * * *")
    begin(task, -100, -1, per_minute=4)
    step()

    assert (shown(task).status, shown(task).counts) == ("running", {"done": 4})
    stage.world.run(61)
    step()
    stage.world.run(121)
    step()
    assert (shown(task).status, shown(task).counts) == ("done", {"done": 10})
    assert shown(task).ended_ms == NOON * 1000 + 121_000


GATED = ["skip", "queue", "cancel_previous"]


@pytest.mark.parametrize("overlap", GATED)
def test_where_runs_may_not_overlap_one_follows_the_other_within_the_minute(
    stage: Stage, overlap: str
) -> None:
    task = add(stage, "* * * * *", status="paused", overlap=overlap)
    stage.takes_sec = lambda _: 2
    begin(task, -600, -1)

    assert step() == 1
    wait(stage, 40)

    assert list(outcomes(stage, task).values()) == ["succeeded"] * 10
    assert most_at_once(stage) == 1
    step()
    assert shown(task).status == "done"


def test_it_gives_way_to_the_schedule_and_comes_back_for_what_gave_way(stage: Stage) -> None:
    task = add(stage, "*/2 * * * *", overlap="skip", max_concurrent=1)
    stage.takes_sec = lambda _: 50
    begin(task, -600, -1)
    stage.world.every(60, "step", lambda _: step(), first_sec=1, until_sec=1_500)
    go(stage, 1_500)

    found = outcomes(stage, task)
    filled = [said for key, said in found.items() if "~b" in key]
    assert filled.count("succeeded") == 5
    assert set(filled) <= {"succeeded", "skipped(overlap)"}
    assert most_at_once(stage) == 1
    assert shown(task).status == "done"


@pytest.mark.parametrize("overlap", ["skip", "queue"])
def test_late_slots_go_before_what_is_left_of_it(stage: Stage, overlap: str) -> None:
    task = add(stage, "* * * * *", misfire="all", overlap=overlap, end_sec=200)
    stage.takes_sec = lambda _: 30
    wait(stage, 590)
    begin(task, -180, -1)
    assert step() == 1
    # The tick after the outage finds three slots late while the first run is under way.
    go(stage, 720)
    step()
    wait(stage, 900)

    by_start = sorted(runs(stage, task), key=lambda run: run.life.its_attempt.started_ms)
    slots = [run.key[11:16] for run in by_start]
    assert slots == ["11:57", "12:01", "12:02", "12:03", "11:58", "11:59"]
    assert {said(run) for run in by_start} == {"succeeded"}


def test_it_waits_until_late_slots_have_run_also_where_runs_may_overlap(stage: Stage) -> None:
    task = add(stage, "* * * * *", misfire="all", end_sec=500)
    stage.takes_sec = lambda _: 30
    wait(stage, 599)
    go(stage, 605)
    begin(task, -180, -1)

    assert step() == 0
    wait(stage, 640)
    assert step() == 3


def test_a_run_whose_task_is_gone_ends_and_none_follows_it(stage: Stage) -> None:
    task = add(stage, "* * * * *", status="paused", overlap="skip")
    begin(task, -180, -1)
    step()
    for name in ("spec", "cursor"):
        key = typed_item({"task_id": task.task_id, "part": name})
        stage.world.store.delete_item(TableName="tasks", Key=key)
    wait(stage, 30)

    assert outcomes(stage, task) == {"11:57:00Z~b1": "cancelled(task_deleted)"}
    assert waiting_messages(stage) == []
    assert step() == 0
    assert shown(task).status == "cancelled"


def test_no_faster_than_its_rate_even_where_one_follows_the_other(stage: Stage) -> None:
    task = add(stage, "* * * * *", status="paused", overlap="skip")
    begin(task, -600, -1, per_minute=3)
    step()

    wait(stage, 59)

    assert len(stage.deliveries) == 3


def test_a_cancelled_one_is_followed_by_the_next(stage: Stage) -> None:
    task = add(stage, "* * * * *", status="paused", overlap="skip")
    stage.takes_sec = lambda _: 30
    begin(task, -180, -1)
    step()
    wait(stage, 2)
    stage.takes_sec = lambda _: 1
    cancel(runs(stage, task)[0].run_id)
    wait(stage, 30)

    assert list(outcomes(stage, task).values()) == ["cancelled(user)", "succeeded", "succeeded"]


def most_at_once(stage: Stage) -> int:
    """Returns how many runs were under way beside one another."""
    lives = [run.life for run in stage.rows().values() if run.life.attempt]
    spans = [(life.its_attempt.started_ms, life.its_end.ended_ms) for life in lives]
    return max(sum(start <= other < end for start, end in spans) for other, _ in spans)


def _minute(run_id: str) -> int:
    return int(run_id.split("T")[1][2:4])


def _history(aims: tuple[Aim, ...], overlap: str = "allow", slots: int = 10) -> World:
    """Plays a backfill of some slots, four a minute, audited; a step may die anywhere."""
    stage = make_stage(1, CALM, aims)
    world = stage.world
    gated = {} if overlap == "allow" else {"overlap": overlap}
    with staged(stage):
        task = add(stage, "* * * * *", status="paused", **gated)
        begin(task, -60 * slots, -1, per_minute=4)
        world.every(60, "step", lambda _: step(), first_sec=1, until_sec=300)
        for at_sec in (1, 121):
            world.spawn("step", step, at_sec=at_sec + 2.0)
        employ(stage)
        go(stage, 900, audited=True)
        world.close()
    found = [said(run) for run in runs(stage, task)]
    assert found == ["succeeded"] * slots, (aims, found)
    assert sorted(set(delivered(stage))) == sorted(delivered(stage))
    assert world.bugs() == []
    return world


def delivered(stage: Stage) -> list[tuple[str, int]]:
    """Returns which attempts reached the target."""
    return [(each.run_id, each.attempt) for each in stage.deliveries]


@pytest.mark.deep
def test_a_step_that_dies_at_any_effect_doubles_and_loses_nothing() -> None:
    plans = [aims for aims in singles(_history) if aims[0].process.startswith("step")]

    assert len([_history(aims) for aims in plans]) > 40


@pytest.mark.deep
def test_a_worker_or_a_step_that_dies_breaks_no_row_of_one_after_the_other() -> None:
    def skipping(aims: tuple[Aim, ...]) -> World:
        return _history(aims, "skip", slots=3)

    plans = [aims for aims in singles(skipping) if aims[0].process.startswith(("step", "work"))]

    assert len([skipping(aims) for aims in plans]) > 100
