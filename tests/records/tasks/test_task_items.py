"""The cursor of a task: where it begins, when it is in the index, and what an edit keeps of it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from onthedot.records.keys import shard_of
from onthedot.records.tasks.task_cursor import parse
from onthedot.records.tasks.task_items import HISTORY_SEC, cursor, first_due, revision
from onthedot.schedule.blackouts import blackout
from tests.schedule.samples import NOON, SLOT, TASK_ID, compiled, task

_JITTER_SEC = 59


def test_an_active_task_that_has_a_slot_to_come_is_in_the_index() -> None:
    item = cursor(task(effective_from=NOON), NOON + 60)

    assert item["due_shard"] == shard_of(TASK_ID)
    assert item["next_run_at"] == "2026-11-18T12:01:00Z"
    assert item.keys().isdisjoint({"calendars", "runs_left", "expires_at"})
    assert parse(item).runs_left is None


@pytest.mark.parametrize(
    ("given", "following"),
    [({}, None), ({"status": "paused"}, NOON + 60), ({"status": "paused"}, None)],
)
def test_without_a_slot_to_come_or_paused_it_is_in_no_index(
    given: dict[str, Any], following: int | None
) -> None:
    item = cursor(task(effective_from=NOON, **given), following)

    assert "due_shard" not in item
    assert item["next_run_at"] == (SLOT if following is None else "2026-11-18T12:01:00Z")


def test_it_names_calendars_and_counts_runs_and_ends_with_a_task_that_runs_once() -> None:
    lunch = blackout("lunch", cron="0 12 * * *")
    given: dict[str, Any] = {
        "blackouts": (lunch,),
        "max_runs": 3,
        "shown": {"expires_at": NOON + 9},
    }

    item = cursor(task(**given), NOON)

    assert (item["calendars"], item["runs_left"], item["expires_at"]) == (["lunch"], 3, NOON + 9)


def test_the_first_slot_is_the_first_that_is_due_after_the_schedule_holds() -> None:
    assert first_due(task(effective_from=NOON - 1)) == NOON
    assert first_due(task(effective_from=NOON)) == NOON + 60
    assert first_due(task(effective_from=NOON + 1)) == NOON + 60


def test_jitter_carries_a_slot_from_before_over_the_edge() -> None:
    late = task(compiled=compiled("* * * * *", _JITTER_SEC))
    offset = late.schedule.jitter_offset_sec
    assert 0 < offset < _JITTER_SEC

    assert first_due(replace(late, effective_from=NOON)) == NOON + offset
    assert first_due(replace(late, effective_from=NOON + offset - 1)) == NOON + offset
    assert first_due(replace(late, effective_from=NOON + offset)) == NOON + 60 + offset


def test_a_schedule_that_is_over_has_no_first_slot() -> None:
    assert first_due(task("0 0 12 1 1 * 2020", effective_from=NOON)) is None


def test_a_former_schedule_is_kept_for_as_long_as_its_runs() -> None:
    before = task(effective_from=NOON, schedule_version=4)

    kept = revision(before, until=NOON + 60, by="key_1").item

    assert kept == {
        "task_id": TASK_ID,
        "part": "rev#000004",
        "compiled": before.compiled,
        "from": SLOT,
        "until": "2026-11-18T12:01:00Z",
        "by": "key_1",
        "expires_at": NOON + 60 + HISTORY_SEC,
    }
