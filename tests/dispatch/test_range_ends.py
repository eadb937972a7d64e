"""A blackout that was recorded ahead ends with its calendar, its pause or its task."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from onthedot.dispatch import range_ends
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.blackouts import blackout
from onthedot.store import clock
from tests.simulation.calm import add, go, runs
from tests.simulation.stage import Stage
from tests.simulation.users import user

LUNCH = blackout("lunch", cron="2-30 12 * * *")
DAY = blackout("holiday", dates=["2026-11-18"])


def ranges(stage: Stage, task: Task) -> list[Run]:
    return [run for run in runs(stage, task) if run.range_to]


def told(stage: Stage, task: Task) -> list[tuple[str, str, int]]:
    return [(run.key[11:19], run.range_to[11:19], run.range_count) for run in ranges(stage, task)]


@pytest.mark.parametrize(
    "end",
    [
        lambda task: user.patch(task.task_id, calendars=[]),
        lambda task: user.pause(task.task_id),
        lambda task: user.delete(task.task_id),
    ],
    ids=["lifted", "paused", "deleted"],
)
def test_a_range_ends_with_the_edit_that_ends_its_ground(
    stage: Stage, end: Callable[[Task], object]
) -> None:
    task = add(stage, "* * * * *", blackouts=(LUNCH,))
    go(stage, 250)
    assert told(stage, task) == [("12:02:00", "12:30:00", 29)]

    end(task)

    assert told(stage, task) == [("12:02:00", "12:04:00", 3)]


def test_one_that_lies_all_ahead_is_taken_away(stage: Stage) -> None:
    task = add(stage, "* * * * *", blackouts=(LUNCH,))
    go(stage, 70)
    assert told(stage, task) == [("12:02:00", "12:30:00", 29)]

    user.patch(task.task_id, calendars=[])

    assert told(stage, task) == []


def test_what_stands_stays_as_it_is(stage: Stage) -> None:
    task = add(stage, "* * * * *", blackouts=(DAY,))
    go(stage, 90)
    before = told(stage, task)

    # Asked for once more, it finds all written.
    for _ in range(2):
        user.change(task.task_id, lambda seen, _now: replace(seen, payload={"n": 1}))

    assert told(stage, task) == before == [("12:01:00", "23:59:00", 719)]


def test_a_dispatcher_leaves_one_slot_of_what_it_put_too_late(stage: Stage) -> None:
    task = add(stage, "* * * * *", blackouts=(LUNCH,))
    go(stage, 70)
    now = clock.now_ms() // 1000

    range_ends.shorten(replace(task, status="paused", paused_at=now), now, whole=False)

    assert told(stage, task) == [("12:02:00", "12:02:00", 1)]
