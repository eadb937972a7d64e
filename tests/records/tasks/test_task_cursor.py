"""A cursor is read as it was written, and an advance acknowledges no more than it says."""

from __future__ import annotations

from dataclasses import replace

import pytest

from onthedot.records.schema import DUE
from onthedot.records.tasks.task_cursor import advance, parse
from onthedot.records.tasks.task_items import cursor, first_due
from tests.schedule.samples import NOON, compiled, due, task


def test_the_index_shows_all_that_planning_needs() -> None:
    item = cursor(task(max_runs=3), NOON)
    shown = {name: item[name] for name in item if name in {*DUE.carries, "task_id", "next_run_at"}}

    assert parse(shown) == parse(item)
    assert parse(item).runs_left == 3


@pytest.mark.parametrize("status", ["paused", "deleted", "invalid"])
def test_only_an_active_task_with_a_next_slot_is_in_the_index(status: str) -> None:
    assert "due_shard" in cursor(task(), NOON)
    assert "due_shard" not in cursor(task(), None)
    assert "due_shard" not in cursor(task(status=status), NOON)


def test_an_advance_leaves_the_index_only_when_nothing_follows() -> None:
    on, out = advance(due(), NOON + 60, 1), advance(due(), None, 1)

    assert dict(on.sets) == {"next_run_at": "2026-11-18T12:01:00Z"}
    assert on.removes == ()
    assert dict(out.sets) == {"next_run_at": "2026-11-18T12:00:00Z"}
    assert out.removes == ("due_shard",)


def test_an_advance_counts_what_was_claimed_down() -> None:
    assert dict(advance(due(runs_left=5), NOON + 60, 2).sets)["runs_left"] == 3
    assert "runs_left" not in dict(advance(due(), NOON + 60, 2).sets)


@pytest.mark.parametrize(
    ("since", "jitter_sec", "expected"), [(0, 0, 60), (-1, 0, 0), (1, 0, 60), (59, 0, 60)]
)
def test_the_first_slot_is_due_strictly_after_the_task_took_effect(
    since: int, jitter_sec: int, expected: int
) -> None:
    registered = task(effective_from=NOON + since, compiled=compiled("* * * * *", jitter_sec))

    assert first_due(registered) == NOON + expected


@pytest.mark.parametrize("since", range(0, 120, 7))
def test_a_slot_counts_by_its_due_time_where_there_is_jitter(since: int) -> None:
    registered = task(effective_from=NOON + since, compiled=compiled("* * * * *", 59))
    offset = registered.schedule.jitter_offset_sec
    after = min(NOON + n * 60 + offset for n in range(4) if n * 60 + offset > since)

    assert first_due(registered) == after


def test_a_schedule_without_a_future_has_no_first_slot() -> None:
    once = compiled("at(2026-11-18T12:00:00)")

    assert first_due(task(effective_from=NOON, compiled=once)) is None
    assert first_due(replace(task(compiled=once), effective_from=NOON - 1)) == NOON
