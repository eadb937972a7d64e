"""The longest runs of a minute are held against their timeout and against their own past."""

from __future__ import annotations

from dataclasses import replace

from onthedot.core.run import Run
from onthedot.flows.long_runs import look_at
from tests.flows.calm import add, go, runs
from tests.simulation.stage import Stage


def longer(run: Run, *, by_ms: int) -> Run:
    return replace(run, life=replace(run.life, ended_ms=run.life.ended_ms + by_ms))


def newest(stage: Stage, *, ran: int) -> Run:
    """The last run of a task that has run so often, each about as long."""
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
