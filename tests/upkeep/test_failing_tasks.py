"""Health: what keeps dying is paused and told of, a probe that succeeds lets it go on."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

import pytest
from botocore.exceptions import EndpointConnectionError

from onthedot.dispatch.dispatcher import dispatch
from onthedot.records.runs.run_status import Reason
from onthedot.records.tasks.task_spec import Task
from onthedot.records.tasks.task_spec import parse as parse_task
from onthedot.registry import lifecycle
from onthedot.store import table_reads
from onthedot.targets.attempt_outcome import Dead, Done
from onthedot.upkeep import failing_task, failing_tasks
from onthedot.upkeep.claims_audit import audit
from onthedot.upkeep.events import cloud_event, destinations, digest
from onthedot.upkeep.events.notifications import tell
from tests.simulation.calm import FREE, NOON, add, employ, go, part, runs, said, wait
from tests.simulation.faults.faults import ROUGH, Profile
from tests.simulation.stage import Stage, make_stage, make_task, staged
from tests.simulation.users import user

PLACE = "arn:aws:sns:us-east-1:000000000000:alarms"
HOUR = 3_600
CRASHES = Profile(crash_before=0.01, crash_after=0.01, faults_max=30)


@pytest.fixture(autouse=True)
def told(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Returns what was handed over to the topic."""
    monkeypatch.setenv("EVENTS_TO", PLACE)
    found: list[dict[str, Any]] = []

    def send(arn: str, bodies: list[str]) -> set[int]:
        assert arn == PLACE
        found.extend(json.loads(body) for body in bodies)
        return set()

    monkeypatch.setattr(destinations, "send", send)
    return found


def minute(_stage: Stage) -> dict[str, int]:
    """Returns what the audit's function does each minute."""
    audit()
    return failing_tasks.act() | tell()


def kinds(told: list[dict[str, Any]]) -> list[str]:
    return [one["type"].removeprefix("onthedot.").removesuffix(".v1") for one in told]


def spec(stage: Stage, task: Task) -> Task:
    return parse_task(part(stage, task, "spec"))


def listed(partition: str) -> list[dict[str, Any]]:
    return list(table_reads.rows(("task_id", partition), "scheduled_for", ("0", "~")))


def failing(stage: Stage, minutes: int, **shown: int) -> Task:
    """Returns a task that runs every minute and dies each time."""
    task = add(stage, "* * * * *", shown=shown)
    stage.answer = lambda _: Dead(
        Reason.PERMANENT, {"type": "Bug", "message": "no", "stack": "long"}
    )
    for number in range(1, minutes + 1):
        go(stage, number * 60 + 1)
        wait(stage, number * 60 + 59)
        minute(stage)
    wait(stage, minutes * 60 + 200)
    minute(stage)
    return task


def test_a_run_that_died_is_told_of_once(stage: Stage, told: list[dict[str, Any]]) -> None:
    task = failing(stage, 1)
    minute(stage)

    died = [one for one in told if one["type"] == "onthedot.run.dead.v1"]
    dead = [run for run in runs(stage, task) if run.life.status == "dead"]
    assert sum(one["data"]["count"] for one in died) == len(dead) > 1
    assert len(died) == len({one["id"] for one in died})
    assert died[0]["source"] == f"/tenants/acme/tasks/{task.task_id}"
    assert died[0]["data"]["reason"] == "permanent"
    assert died[0]["data"]["error"] == {"type": "Bug", "message": "no"}


def test_what_dies_ten_times_in_a_row_is_paused_by_the_system(
    stage: Stage, told: list[dict[str, Any]]
) -> None:
    task = failing(stage, 12)

    paused = spec(stage, task)
    assert paused.status == "paused"
    assert paused.shown["paused"]["by"] == "system"
    assert "in a row" in paused.shown["paused"]["reason"]
    assert kinds(told).count("schedule.paused") == 1


def test_what_fails_less_often_goes_on(stage: Stage, told: list[dict[str, Any]]) -> None:
    task = failing(stage, 6)

    assert spec(stage, task).status == "active"
    assert "schedule.paused" not in kinds(told)


def test_a_schedule_may_be_paused_after_fewer_deaths(
    stage: Stage, told: list[dict[str, Any]]
) -> None:
    task = failing(stage, 4, pause_after_deaths=3)

    assert spec(stage, task).status == "paused"
    assert kinds(told).count("schedule.paused") == 1


def test_a_schedule_that_is_never_to_be_paused_dies_on(
    stage: Stage, told: list[dict[str, Any]]
) -> None:
    task = failing(stage, 14, pause_after_deaths=0)

    assert spec(stage, task).status == "active"
    assert "schedule.paused" not in kinds(told)


def test_an_edit_of_the_number_holds_from_the_next_death_on(stage: Stage) -> None:
    task = failing(stage, 4)
    fewer = {"pause_after_deaths": 5}
    user.change(task.task_id, lambda task, _: replace(task, shown={**task.shown, **fewer}))
    assert spec(stage, task).status == "active"

    go(stage, 700)
    wait(stage, 900)
    minute(stage)

    assert spec(stage, task).status == "paused"


@pytest.mark.deep
def test_a_success_after_failures_is_told_of_and_forgets_them(
    stage: Stage, told: list[dict[str, Any]]
) -> None:
    task = failing(stage, 3)
    stage.answer = lambda _: Done()
    go(stage, 700)
    wait(stage, 900)
    minute(stage)

    assert kinds(told).count("run.recovered") == 1
    assert table_reads.get(failing_task.TABLE, failing_task.key(task.task_id)) is None


def test_a_probe_that_succeeds_lets_the_schedule_go_on(
    stage: Stage, told: list[dict[str, Any]]
) -> None:
    task = failing(stage, 12)
    before = len(runs(stage, task))
    stage.answer = lambda _: Done()
    wait(stage, 12 * 60 + HOUR + 400)
    assert minute(stage)["probed"] == 1
    assert minute(stage)["probed"] == 0
    wait(stage, 12 * 60 + HOUR + 700)
    minute(stage)

    probes = [run for run in runs(stage, task) if run.origin == "manual"]
    assert [said(run) for run in probes] == ["succeeded"]
    assert spec(stage, task).status == "active"
    assert "paused" not in spec(stage, task).shown
    assert {"run.recovered", "schedule.resumed"} <= set(kinds(told))
    assert len(runs(stage, task)) >= before + 1


def test_what_works_again_before_it_was_paused_is_not_told_to_go_on(
    stage: Stage, told: list[dict[str, Any]]
) -> None:
    """The audit that counts its deaths dies before it pauses it, and the next run succeeds."""
    task = failing(stage, 3)
    known = failing_tasks.failing()[task.task_id]
    table_reads.put(failing_task.TABLE, known.paused(NOON * 1000).item())
    stage.answer = lambda _: Done()
    go(stage, 700)
    wait(stage, 900)
    minute(stage)

    assert spec(stage, task).status == "active"
    assert table_reads.get(failing_task.TABLE, failing_task.key(task.task_id)) is None
    assert not {"schedule.paused", "schedule.resumed"} & set(kinds(told))


def test_what_a_person_resumed_is_not_told_to_go_on_by_itself(
    stage: Stage, told: list[dict[str, Any]]
) -> None:
    task = failing(stage, 12)
    user.change(task.task_id, lifecycle.resumed)
    stage.answer = lambda _: Done()
    go(stage, 1_300)
    wait(stage, 1_500)
    minute(stage)

    assert {"schedule.paused", "run.recovered"} <= set(kinds(told))
    assert "schedule.resumed" not in kinds(told)


def test_a_probe_that_dies_is_tried_again_after_twice_the_time(
    stage: Stage, told: list[dict[str, Any]]
) -> None:
    task = failing(stage, 12)
    wait(stage, 12 * 60 + HOUR + 400)
    minute(stage)
    wait(stage, 12 * 60 + HOUR + 700)
    minute(stage)
    wait(stage, 12 * 60 + 2 * HOUR + 600)
    minute(stage)
    probes = [run for run in runs(stage, task) if run.origin == "manual"]
    assert len(probes) == 1
    wait(stage, 12 * 60 + 4 * HOUR)
    minute(stage)

    assert len([run for run in runs(stage, task) if run.origin == "manual"]) == 2
    assert spec(stage, task).status == "paused"
    assert kinds(told).count("schedule.paused") == 1


def test_what_an_operator_has_taken_in_hand_is_not_probed(stage: Stage) -> None:
    task = failing(stage, 12)
    user.change(task.task_id, lifecycle.resumed)
    stage.answer = lambda _: Done()
    wait(stage, 12 * 60 + HOUR + 400)

    assert minute(stage)["probed"] == 0
    assert table_reads.get(failing_task.TABLE, failing_task.key(task.task_id)) is None


def test_a_place_that_refuses_is_asked_again_and_others_are_not_asked_twice(
    stage: Stage, told: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    other = PLACE + "-2"
    monkeypatch.setenv("EVENTS_TO", f"{PLACE},{other}")
    accepting = destinations.send
    refused: list[str] = []

    def send(arn: str, bodies: list[str]) -> set[int]:
        if arn == other and not refused:
            refused.extend(bodies)
            raise EndpointConnectionError(endpoint_url="https://sns")
        return accepting(PLACE, bodies)

    monkeypatch.setattr(destinations, "send", send)
    failing(stage, 1)
    tell()

    assert refused
    assert {json.loads(body)["id"] for body in refused} <= {one["id"] for one in told}
    twice = [one["id"] for one in told]
    assert all(twice.count(one) == 2 for one in twice)
    assert listed(cloud_event.OPEN) == []


def test_nobody_is_told_where_nobody_wants_to_know(
    stage: Stage, told: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("EVENTS_TO")
    failing(stage, 1)

    assert told == []
    assert listed(cloud_event.OPEN) == []


def test_many_slots_that_were_missed_are_told_of_by_one_event(
    stage: Stage, told: list[dict[str, Any]]
) -> None:
    task = add(stage, "* * * * *", misfire="none", misfire_grace_sec=60)
    wait(stage, 4 * HOUR)
    dispatch(stage.shards())
    wait(stage, 4 * HOUR + 130)
    for _ in range(2):
        minute(stage)

    (missed,) = (one for one in told if one["type"] == "onthedot.slot.missed.v1")
    (spanned,) = (run for run in runs(stage, task) if run.range_to)
    assert missed["subject"] == spanned.run_id
    assert missed["data"]["range"] == {
        "from": "2026-11-18T12:01:00Z",
        "to": spanned.range_to,
        "count": spanned.range_count,
    }


def test_slots_that_an_edit_finds_missed_are_told_of(
    stage: Stage, told: list[dict[str, Any]]
) -> None:
    task = add(stage, "*/10 * * * *")
    wait(stage, 1_300)
    user.change(task.task_id, lambda task, now: lifecycle.paused(task, now, {"by": "key_1"}))
    wait(stage, 1_500)
    minute(stage)

    (missed,) = told
    assert missed["type"] == "onthedot.slot.missed.v1"
    assert missed["data"]["count"] == 2
    assert missed["data"]["first"]["scheduled_for"] == "2026-11-18T12:10:00Z"
    assert missed["data"]["last"]["scheduled_for"] == "2026-11-18T12:20:00Z"
    assert missed["data"]["reason"] == "unaccounted"


def test_a_run_that_began_late_is_told_of(stage: Stage, told: list[dict[str, Any]]) -> None:
    task = add(stage, "1 12 * * *")
    wait(stage, 160)
    go(stage, 300)
    wait(stage, 500)
    minute(stage)

    (run,) = runs(stage, task)
    assert said(run) == "succeeded"
    assert kinds(told) == ["run.late"]
    assert told[0]["data"]["lag_ms"] > 30_000


@pytest.mark.deep
@pytest.mark.parametrize("seed", range(16))
def test_in_any_weather_what_dies_is_told_of_paused_and_probed(
    seed: int, told: list[dict[str, Any]]
) -> None:
    weather = replace(ROUGH if seed % 2 else CRASHES, faults_until_sec=900)
    stage = make_stage(seed, weather)
    stage.answer = lambda _: Dead(Reason.PERMANENT)
    with staged(stage):
        employ(stage)
        task = make_task("some", "*/20 * * * * *", stage.world, max_attempts=1, **FREE)
        stage.register(task)
        shards = stage.shards()
        world = stage.world
        world.every(60, "dispatch", lambda _: dispatch(shards), first_sec=0, until_sec=600)
        world.every(60, "audit", lambda _: minute(stage), first_sec=30, until_sec=6_000)
        world.run(6_000)
        found = runs(stage, task)
        seen = spec(stage, task)
        left = listed(cloud_event.OPEN) + listed(digest.GATHERED)
        marked = {item["scheduled_for"] for item in listed(cloud_event.TOLD)}
        bugs = world.bugs()
        world.close()

    dead = [run for run in found if run.life.status == "dead"]
    died = {one["id"]: one for one in told if one["type"] == "onthedot.run.dead.v1"}
    assert len(dead) >= 10
    assert {cloud_event.telling(cloud_event.of_run("dead", run), PLACE) for run in dead} <= marked
    assert sum(one["data"]["count"] for one in died.values()) >= len(dead)
    # Told again it is the same, word for word.
    assert [one for one in told if one["id"] in died] == [
        died[one["id"]] for one in told if one["id"] in died
    ]
    assert (seen.status, seen.shown["paused"]["by"]) == ("paused", "system")
    assert "schedule.paused" in kinds(told)
    # After the first hour one probe at a time, each an hour or more after the other.
    probes = [run.life.due_ms for run in found if run.origin == "manual"]
    assert 1 <= len(probes) <= 2
    assert left == []
    assert bugs == []
