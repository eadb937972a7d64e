"""Pauses that end by themselves: on the second, unless somebody was there before."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from onthedot.records.access import audit_trail
from onthedot.records.tasks import pause_ends
from onthedot.records.tasks.task_spec import Task
from onthedot.records.tasks.task_spec import parse as parse_task
from onthedot.registry import lifecycle
from onthedot.store import clock, table_reads
from onthedot.upkeep import pauses_due
from onthedot.upkeep.events import cloud_event
from tests.simulation.calm import NOON, add, go, outcomes, part, partition, put_run, told, wait
from tests.simulation.stage import Stage
from tests.simulation.users import user

_PAUSED = "skipped(paused)"


def pause(task: Task, until_sec: int | None, reason: str | None = None) -> Task | None:
    """Pauses it now, until so many seconds after noon."""
    until = None if until_sec is None else NOON + until_sec

    def edit(known: Task, now: int) -> Task:
        return lifecycle.paused(known, now, pause_ends.why(now, "key_1", reason, until))

    return user.change(task.task_id, edit)


def spec(stage: Stage, task: Task) -> Task:
    return parse_task(part(stage, task, "spec"))


def minutes(stage: Stage, until_sec: float) -> None:
    """Ticks, and the audit's last act, each minute."""
    world = stage.world
    first = -(-world.now_us // 60_000_000) * 60 + 40
    world.every(
        60, "pauses", lambda _: pauses_due.end_those_due(), first_sec=first, until_sec=until_sec
    )
    go(stage, until_sec)


def test_a_pause_ends_at_its_second_and_what_is_due_then_runs_on_time(stage: Stage) -> None:
    task = add(stage, "*/20 * * * * *")
    go(stage, 70)
    pause(task, 200)
    minutes(stage, 300)

    found = outcomes(stage, task)
    assert {found[key] for key in ("12:01:20", "12:02:00", "12:03:00")} == {_PAUSED}
    assert {found[key] for key in ("12:03:20", "12:03:40", "12:04:20")} == {"succeeded"}
    assert [second for second, _ in told(stage) if 60 <= second < 250] == [60, 200, 220, 240]
    ended = spec(stage, task)
    assert (ended.status, ended.shown.get("paused")) == ("active", None)
    assert partition(stage, pause_ends.OPEN) == []


def test_what_was_claimed_before_a_short_pause_runs_after_it(stage: Stage) -> None:
    """Nobody has written down that it ended: the worker knows all the same."""
    task = add(stage, "*/20 * * * * *")
    go(stage, 70)
    pause(task, 100)
    wait(stage, 300)

    found = outcomes(stage, task)
    assert (found["12:01:20"], found["12:01:40"], found["12:02:00"]) == (
        _PAUSED,
        "succeeded",
        "succeeded",
    )


def test_an_end_that_is_written_late_leaves_no_slot_out(stage: Stage) -> None:
    task = add(stage, "* * * * *", misfire="all")
    go(stage, 30)
    pause(task, 300)
    go(stage, 590)
    pauses_due.end_those_due()
    go(stage, 800)

    found = outcomes(stage, task)
    assert {found[f"12:0{minute}:00"] for minute in (1, 2, 3, 4)} == {_PAUSED}
    assert {found[f"12:{minute:02}:00"] for minute in range(5, 13)} == {"succeeded"}


def test_an_edit_after_the_end_finds_the_pause_over(stage: Stage) -> None:
    task = add(stage, "* * * * *", misfire="all")
    go(stage, 30)
    pause(task, 180)
    wait(stage, 250)
    edited = user.change(task.task_id, lambda task, _: replace(task, payload="new"))

    assert edited is not None
    assert edited.payload == "new"
    assert (edited.status, edited.effective_from) == ("active", NOON + 179)
    assert outcomes(stage, task)["12:02:00"] == _PAUSED
    assert "12:03:00" in outcomes(stage, task)


@pytest.mark.parametrize("until_sec", [None, 900])
def test_a_new_pause_wins_over_the_end_of_the_one_before(
    stage: Stage, until_sec: int | None
) -> None:
    task = add(stage, "* * * * *")
    go(stage, 30)
    pause(task, 120, "INC-42")
    pause(task, until_sec)
    minutes(stage, 300)

    kept = spec(stage, task)
    assert (kept.status, kept.shown["paused"]["reason"]) == ("paused", "INC-42")
    assert pause_ends.end_of(kept) == (until_sec and NOON + until_sec)
    assert len(partition(stage, pause_ends.OPEN)) == (1 if until_sec else 0)


def test_a_resume_wins_and_the_end_is_forgotten(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    go(stage, 30)
    pause(task, 200)
    wait(stage, 90)
    user.change(task.task_id, lifecycle.resumed)
    version = spec(stage, task).version
    minutes(stage, 400)

    assert spec(stage, task).version == version
    assert outcomes(stage, task)["12:02:00"] == "succeeded"
    assert partition(stage, pause_ends.OPEN) == []


def test_the_end_is_told_of_and_stands_on_the_trail_once(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EVENTS_TO", "arn:aws:sns:us-east-1:000000000000:alarms")
    task = add(stage, "* * * * *")
    go(stage, 30)
    pause(task, 100)
    minutes(stage, 200)
    pauses_due.tell("resumed", task, "again", (NOON + 100) * 1000)

    (told_of,) = partition(stage, cloud_event.OPEN)
    assert "onthedot.schedule.resumed.v1" in told_of["body"]
    (line,) = partition(stage, audit_trail.OF_ITSELF)
    assert (line["what"], line["key_id"], line["about"]) == (
        "schedule.resumed",
        "system",
        task.task_id,
    )
    assert line["at"] == "2026-11-18T12:01:40.000Z"


def test_what_was_resumed_keeps_what_it_was_before(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    go(stage, 30)
    pause(task, 100)
    minutes(stage, 200)

    (kept,) = table_reads.rows(("task_id", task.task_id), "part", ("rev#", "rev#~"), table="tasks")
    assert (kept["until"], kept["by"]) == ("2026-11-18T12:01:39Z", "system")


def test_nobody_waits_for_a_pause_that_ends_later(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    pause(task, 3_600)
    before = clock.now_ms()

    pauses_due.end_those_due()

    assert clock.now_ms() == before
    assert len(partition(stage, pause_ends.OPEN)) == 1


def test_a_pause_of_the_systems_becomes_a_persons(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    why: dict[str, Any] = pause_ends.why(NOON, pause_ends.SYSTEM, "10 runs in a row died")
    user.change(task.task_id, lambda task, now: lifecycle.paused(task, now, why))
    kept = pause(task, None)

    assert kept is not None
    assert kept.shown["paused"]["by"] == "key_1"
    assert kept.shown["paused"]["reason"] == "10 runs in a row died"


def test_one_that_cannot_be_ended_keeps_no_other_from_it_and_is_told(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    strange = {"task_id": pause_ends.OPEN, "scheduled_for": "0000#no time", "of": "sch_X"}
    put_run(stage, strange)
    pause(task, 60)

    with pytest.raises(ValueError, match="0000"):
        pauses_due.end_those_due()

    assert spec(stage, task).status == "active"
    assert [item["of"] for item in partition(stage, pause_ends.OPEN)] == ["sch_X"]
