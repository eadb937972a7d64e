"""Which backfill of a slot is to be made, by what its own row and earlier ones came to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from onthedot.core.backfill import Backfill, begin, moved, number, parse
from onthedot.core.run import FINAL, OPEN
from tests.core.made import NOON, TASK_ID, due, run

FILL = Backfill(
    backfill_id="bkf_1",
    task_id=TASK_ID,
    first=NOON,
    last=NOON + 300,
    cursor=NOON + 60,
    per_minute=9,
)


@pytest.mark.parametrize("status", sorted(OPEN))
def test_an_open_slot_is_left_alone(status: str) -> None:
    for only_missing in (True, False):
        assert number(run(status=status), {}, only_missing=only_missing) is None


@pytest.mark.parametrize("status", sorted(FINAL))
def test_a_slot_with_an_outcome_is_run_unless_it_succeeded(status: str) -> None:
    assert number(run(status=status), {}, only_missing=True) == (
        None if status == "succeeded" else 1
    )
    assert number(run(status=status), {}, only_missing=False) == 1


def test_a_slot_without_a_row_is_run() -> None:
    assert number(None, {}, only_missing=True) == 1


@pytest.mark.parametrize("status", sorted(OPEN | FINAL))
def test_the_next_number_comes_after_a_dead_or_a_cancelled_one(status: str) -> None:
    earlier = {1: run(status="dead"), 2: run(status=status)}

    expected = 3 if status in ("dead", "cancelled") else None
    assert number(None, earlier, only_missing=True) == expected


def test_it_is_stored_and_read_and_walks_what_is_left() -> None:
    assert parse(begin(FILL).item) == FILL
    assert list(FILL.slots(due().schedule)) == [NOON + minute * 60 for minute in range(1, 6)]
    done = replace(FILL, cursor=NOON + 301)
    assert list(done.slots(due().schedule)) == []


def test_it_moves_on_only_from_where_it_was_seen() -> None:
    write = moved(FILL, NOON + 120)

    assert dict(write.sets) == {"cursor": "2026-11-18T12:02:00Z"}
    assert [clause.value for clause in write.clauses] == ["2026-11-18T12:01:00Z"]
