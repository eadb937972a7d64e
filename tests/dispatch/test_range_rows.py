"""A range goes before all else of its task: what rows inside it count, and who holds it up."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.dispatch.due_plan import plan
from onthedot.dispatch.range_rows import record_range
from onthedot.records.tasks import task_cursor
from onthedot.records.tasks.task_cursor import Due
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.blackouts import blackout
from tests.simulation.calm import (
    NOON,
    add,
    left_behind,
    outcomes,
    part,
    put_run,
    spoil,
    wait,
    waiting_messages,
)
from tests.simulation.stage import Stage

LUNCH = blackout("lunch", cron="1-3 12 * * *")
FIRST = "2026-11-18T12:01:00Z"


def _recorded(stage: Stage, task: Task, *, force: bool = False) -> Due | None:
    due = task_cursor.parse(part(stage, task, "cursor"), task.closed)
    planned = plan(due, int(stage.world.epoch_us() / 1_000_000))
    assert planned.range is not None
    return record_range(planned, planned.range, force=force)


def _left(stage: Stage, task: Task) -> tuple[str, int | None]:
    cursor = part(stage, task, "cursor")
    return cursor["next_run_at"][11:19], cursor.get("runs_left")


def test_what_was_claimed_in_a_blackout_to_come_is_sent_and_counts(stage: Stage) -> None:
    task = add(stage, "* * * * *", max_runs=5, blackouts=(LUNCH,))
    left_behind(stage, task, claim_until=NOON * 1000 - 1)

    behind = _recorded(stage, task)

    assert behind is not None
    assert behind.runs_left == 4
    assert _left(stage, task) == ("12:04:00", 4)
    assert FIRST.replace("-", "").replace(":", "") in " ".join(waiting_messages(stage))
    assert outcomes(stage, task)["12:01:00"] == "claimed"


def test_what_an_edit_has_counted_of_it_does_not_count_again(stage: Stage) -> None:
    task = add(stage, "* * * * *", max_runs=5, blackouts=(LUNCH,))
    for minute in (1, 2):
        left_behind(stage, task, minute, claim_until=NOON * 1000 - 1)
    spoil(stage, task, "cursor", ahead=[FIRST])

    _recorded(stage, task)

    assert _left(stage, task) == ("12:04:00", 4)


def test_a_claim_that_another_holds_still_holds_the_range_up(stage: Stage) -> None:
    task = add(stage, "* * * * *", max_runs=5, blackouts=(LUNCH,))
    left_behind(stage, task, claim_until=NOON * 1000)

    assert _recorded(stage, task) is None
    assert _left(stage, task) == ("12:01:00", 5)
    assert waiting_messages(stage) == []


def test_an_edit_waits_for_no_claim(stage: Stage) -> None:
    task = add(stage, "* * * * *", max_runs=5, blackouts=(LUNCH,))
    left_behind(stage, task, claim_until=NOON * 1000 + 30_000)

    assert _recorded(stage, task, force=True) is not None
    assert _left(stage, task) == ("12:04:00", 4)


def test_a_row_that_nobody_can_read_holds_the_range_up(stage: Stage) -> None:
    task = add(stage, "* * * * *", max_runs=5, blackouts=(LUNCH,))
    put_run(stage, {"task_id": task.task_id, "scheduled_for": FIRST, "life": {"status": "odd"}})

    due = task_cursor.parse(part(stage, task, "cursor"), task.closed)
    planned = plan(due, NOON)
    assert planned.range is not None
    assert record_range(planned, planned.range, force=True) is None
    assert part(stage, task, "cursor")["runs_left"] == 5


@pytest.mark.parametrize(
    ("life", "ahead", "left"),
    [
        ({"status": "succeeded", "attempt": 1}, [], 4),
        ({"status": "succeeded", "attempt": 1}, [FIRST], 5),
        ({"status": "missed", "reason": "outside_grace"}, [], 5),
        ({"status": "claimed", "claim_until": 1}, [], 5),
        ({"status": "claimed", "claim_until": 1, "attempt": 1}, [], 4),
    ],
)
def test_what_ran_inside_counts_and_what_was_never_sent_is_missed(
    stage: Stage, life: dict[str, Any], ahead: list[str], left: int
) -> None:
    task = add(stage, "* * * * *", max_runs=5, misfire_grace_sec=90)
    left_behind(stage, task, **life)
    spoil(stage, task, "cursor", ahead=ahead)
    wait(stage, 120 * 60)

    assert _recorded(stage, task) is not None
    assert _left(stage, task)[1] == left
    fired = life["status"] == "claimed" and not life.get("attempt")
    expected = "missed(outside_grace)" if fired else life["status"]
    assert outcomes(stage, task)["12:01:00"].startswith(expected)
