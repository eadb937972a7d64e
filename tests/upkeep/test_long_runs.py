"""The longest runs of a minute are held against their timeout and against their own past."""

from __future__ import annotations

from dataclasses import replace

import pytest

from onthedot.records.runs import run_writes
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.run_status import Status
from onthedot.schedule.time.instants import nominal
from onthedot.upkeep.long_runs import look_at
from tests.schedule.samples import lived
from tests.simulation.calm import NOON, add, go, put_run, runs
from tests.simulation.stage import Stage


def longer(run: Run, *, by_ms: int) -> Run:
    return replace(run, life=lived(run.life, ended_ms=run.life.its_end.ended_ms + by_ms))


def newest(stage: Stage, *, ran: int) -> Run:
    """Returns the last run of a task that has run so often, each about as long."""
    task = add(stage, "*/10 * * * * *", timeout_sec=100)
    go(stage, ran * 10)
    found = [run for run in runs(stage, task) if run.final]
    return max(found, key=lambda run: run.key)


def test_the_largest_share_of_a_timeout_is_given(stage: Stage) -> None:
    run = newest(stage, ran=3)

    assert look_at([longer(run, by_ms=90_000), run])["timeout_used_percent"] == 90


def test_a_run_that_takes_twice_what_its_task_mostly_takes_is_unusual(stage: Stage) -> None:
    run = newest(stage, ran=9)

    assert look_at([run])["unusually_long"] == 0
    assert look_at([longer(run, by_ms=90_000)])["unusually_long"] == 1


def test_a_task_that_hardly_ran_has_no_habits_to_break(stage: Stage) -> None:
    run = newest(stage, ran=3)

    assert look_at([longer(run, by_ms=90_000)])["unusually_long"] == 0


def test_no_run_says_nothing(stage: Stage) -> None:
    assert look_at([]) == {}
    assert stage.deliveries == []


def put(stage: Stage, seconds: list[int]) -> Run:
    """Returns a task whose runs took so long, the newest first; give the newest."""
    task = add(stage, "* * * * *", timeout_sec=100)
    found = []
    for ago, sec in enumerate(seconds):
        at_ms = (NOON - 60 * ago) * 1000
        life = lived(
            status="succeeded",
            attempt=1,
            due_ms=at_ms,
            started_ms=at_ms,
            ended_ms=at_ms + sec * 1000,
        )
        run = Run(
            task_id=task.task_id,
            key=nominal(at_ms // 1000),
            tenant_id="acme",
            origin="schedule",
            queue="normal",
            life=life,
        )
        put_run(stage, dict(run_writes.insert(run, now_ms=at_ms).item))
        found.append(run)
    return found[0]


@pytest.mark.parametrize(
    ("past", "unusual"), [([1] * 4, 0), ([1] * 5, 1), ([1] * 6, 1), ([1] * 4 + [9], 0)]
)
def test_five_runs_make_a_habit(stage: Stage, past: list[int], unusual: int) -> None:
    assert look_at([put(stage, [9, *past])])["unusually_long"] == unusual


@pytest.mark.parametrize(("sec", "unusual"), [(20, 0), (21, 1)])
def test_twice_as_long_is_not_yet_unusual(stage: Stage, sec: int, unusual: int) -> None:
    assert look_at([put(stage, [sec, *[10] * 5])])["unusually_long"] == unusual


@pytest.mark.parametrize(("ago", "unusual"), [(1, 0), (20, 0), (21, 1)])
def test_the_past_is_twenty_runs(stage: Stage, ago: int, unusual: int) -> None:
    past = [1] * 25
    past[ago - 1] = 50

    assert look_at([put(stage, [9, *past])])["unusually_long"] == unusual


def test_only_what_succeeded_makes_a_habit(stage: Stage) -> None:
    run = put(stage, [9, *[1] * 5])
    for each in runs(stage, stage.tasks[0])[:2]:
        dead = replace(each, life=replace(each.life, status=Status.DEAD))
        put_run(stage, dict(run_writes.insert(dead, now_ms=0).item))

    assert look_at([run])["unusually_long"] == 0


def test_a_run_whose_task_is_gone_has_no_timeout(stage: Stage) -> None:
    run = put(stage, [9])
    gone = replace(run, task_id="sch_gone")

    assert look_at([gone, run])["timeout_used_percent"] == 9
    assert look_at([gone])["timeout_used_percent"] == 0
