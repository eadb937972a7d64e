"""Tables that were set back by half an hour fire nothing of it again, and then go on."""

from __future__ import annotations

from copy import deepcopy
from typing import Any

import pytest

from onthedot.records.runs.run_status import Reason
from onthedot.targets.attempt_outcome import Again, Awaiting, Done
from onthedot.upkeep.after_restore import end_what_was_open, mend_pauses, start_from_now
from onthedot.upkeep.pauses_due import end_those_due
from tests.simulation.calm import add, go, outcomes, part, purge, runs, spoil, wait
from tests.simulation.stage import Stage
from tests.simulation.users.pauses import paused_for_a_while

BACKUP_SEC, DAMAGE_SEC, BACK_SEC = 600, 2_400, 4_215
GOES_ON_SEC = 4_500


def backup(stage: Stage) -> dict[str, list[Any]]:
    store = stage.world.store
    return {name: deepcopy(store.scan(TableName=name)["Items"]) for name in ("tasks", "runs")}


def restore(stage: Stage, kept: dict[str, list[Any]], *names: str) -> None:
    """Gives tables the content they had; the queues are as they are."""
    store = stage.world.store
    sort = {"tasks": "part", "runs": "scheduled_for"}
    for name in names:
        for item in store.scan(TableName=name)["Items"]:
            key = {field: item[field] for field in ("task_id", sort[name])}
            store.delete_item(TableName=name, Key=key)
        for item in kept[name]:
            store.put_item(TableName=name, Item=item)


def set_back(stage: Stage, *names: str) -> list[int]:
    """Returns half an hour fires, is forgotten, and dealt with; give the seconds at which runs
    started.
    """
    go(stage, BACKUP_SEC)
    kept = backup(stage)
    go(stage, DAMAGE_SEC)
    purge(stage)
    wait(stage, BACK_SEC)
    restore(stage, kept, *names)
    list(end_what_was_open())
    list(start_from_now())
    list(mend_pauses())
    go(stage, GOES_ON_SEC, audited=True)
    return [delivery.due_ms // 1000 for delivery in stage.deliveries]


@pytest.mark.deep
@pytest.mark.parametrize("names", [("tasks", "runs"), ("runs",)])
@pytest.mark.parametrize("misfire", ["latest", "all"])
def test_no_slot_fires_twice(stage: Stage, names: tuple[str, ...], misfire: str) -> None:
    add(stage, "* * * * *", misfire=misfire)

    due = set_back(stage, *names)

    assert len(due) == len(set(due))


def test_what_comes_after_fires(stage: Stage) -> None:
    task = add(stage, "* * * * *", misfire="all")

    set_back(stage, "tasks", "runs")

    after = {key: said for key, said in outcomes(stage, task).items() if key > "13:10:15"}
    assert list(after)[:4] == ["13:11:00", "13:12:00", "13:13:00", "13:14:00"]
    assert set(list(after.values())[:4]) == {"succeeded"}


def test_every_forgotten_slot_is_on_record(stage: Stage) -> None:
    task = add(stage, "* * * * *", misfire="all")

    set_back(stage, "tasks", "runs")

    recorded = outcomes(stage, task)
    assert recorded["12:30:00"] == "missed(unaccounted)"
    assert recorded["13:05:00"] == "missed(unaccounted)"
    assert recorded["12:05:00"] == "succeeded"


def test_a_run_that_was_to_be_tried_again_is_not(stage: Stage) -> None:
    """It was tried again in the time that the rows have forgotten."""
    task = add(stage, "9 12 * * *", max_attempts=2)
    stage.answer = lambda call: Again(Reason.FAILED, after_sec=120) if call.attempt == 1 else Done()

    set_back(stage, "tasks", "runs")

    assert [delivery.attempt for delivery in stage.deliveries] == [1, 2]
    assert [run.life.status for run in runs(stage, task)] == ["cancelled"]


def test_a_run_whose_target_had_taken_it_on_is_not_called_again(stage: Stage) -> None:
    """Its answer came in the time that the rows have forgotten, and its time is up since."""
    task = add(stage, "9 12 * * *", max_attempts=2, timeout_sec=3_000)
    stage.answer = lambda call: Awaiting(Reason.CALLBACK) if call.attempt == 1 else Done()

    set_back(stage, "tasks", "runs")

    assert [delivery.attempt for delivery in stage.deliveries] == [1]
    assert [run.life.status for run in runs(stage, task)] == ["cancelled"]


@pytest.mark.deep
def test_without_it_an_hour_would_fire_again(stage: Stage) -> None:
    """The measure of the others: the same restore, and nobody to deal with it."""
    add(stage, "* * * * *", misfire="all")
    go(stage, BACKUP_SEC)
    kept = backup(stage)
    go(stage, DAMAGE_SEC)
    wait(stage, BACK_SEC)
    restore(stage, kept, "tasks", "runs")

    go(stage, GOES_ON_SEC, audited=True)

    due = [delivery.due_ms for delivery in stage.deliveries]
    assert len(due) > len(set(due))


@pytest.mark.deep
def test_tasks_alone_need_nothing_done(stage: Stage) -> None:
    """The rows of what has fired are there, and a dispatcher that plans it again finds them."""
    add(stage, "* * * * *", misfire="all")
    go(stage, BACKUP_SEC)
    kept = backup(stage)
    go(stage, DAMAGE_SEC)
    restore(stage, kept, "tasks")

    go(stage, DAMAGE_SEC + 600, audited=True)

    due = [delivery.due_ms for delivery in stage.deliveries]
    assert len(due) == len(set(due))
    assert len(due) >= (DAMAGE_SEC + 540) // 60


@pytest.mark.deep
@pytest.mark.parametrize("names", [("tasks", "runs"), ("tasks",), ("runs",)])
@pytest.mark.parametrize("until_sec", [1_200, 4_300])
def test_a_pause_that_ended_in_the_time_that_is_forgotten_fires_nothing_of_it_again(
    stage: Stage, names: tuple[str, ...], until_sec: int
) -> None:
    task = add(stage, "* * * * *", misfire="all")
    go(stage, 60)
    paused_for_a_while(task.task_id, 0, until_sec)
    stage.world.every(60, "pauses", lambda _: end_those_due(), first_sec=90, until_sec=2_400)

    set_back(stage, *names)
    end_those_due()
    go(stage, GOES_ON_SEC + 300)

    due = [delivery.due_ms for delivery in stage.deliveries]
    assert len(due) == len(set(due))
    assert part(stage, task, "spec")["status"] == "active"
    assert outcomes(stage, task)["13:17:00"] == "succeeded"


def test_a_paused_task_that_cannot_be_read_keeps_no_other_from_going_on(stage: Stage) -> None:
    tasks = [add(stage, "* * * * *", name=name) for name in ("broken", "other")]
    go(stage, 60)
    for task in tasks:
        paused_for_a_while(task.task_id, 0, 200)
    spoil(stage, tasks[0], "spec", payload="{")
    wait(stage, 300)

    assert list(mend_pauses()) == [tasks[1].task_id]

    assert part(stage, tasks[1], "spec")["status"] == "active"


def test_a_pause_that_the_restored_runs_do_not_know_of_ends_at_its_time(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    go(stage, 60)
    kept = backup(stage)
    paused_for_a_while(task.task_id, 0, 400)
    restore(stage, kept, "runs")

    assert list(mend_pauses()) == []

    stage.world.every(60, "pauses", lambda _: end_those_due(), first_sec=90, until_sec=500)
    wait(stage, 500)
    assert part(stage, task, "spec")["status"] == "active"
