"""Which backfill of a slot is to be made, by what its own row and earlier ones came to."""

from __future__ import annotations

from dataclasses import replace

import pytest

from onthedot.launch.backfill import Backfill, loop, number, of
from onthedot.records.runs.run_status import FINAL, OPEN
from onthedot.records.tasks.bulk_operation import Named, begin, moved, parse
from tests.schedule.samples import NOON, NOON_MS, TASK_ID, due, run

FILL = Backfill(task_id=TASK_ID, first=NOON, last=NOON + 300)
NAMED = Named(loop_id="bkf_1", tenant_id="acme", by="key_1", began_ms=NOON * 1000)


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


def test_what_gave_way_to_another_run_is_no_outcome_of_its_slot() -> None:
    gave_way = run(status="skipped", reason="overlap")
    ran = run(status="skipped", reason="handler", attempt=1)

    assert number(None, {1: gave_way}, only_missing=True) == 2
    assert number(None, {1: ran}, only_missing=True) is None


def test_it_is_stored_and_read_and_walks_what_is_left() -> None:
    begun = loop(FILL, NAMED, per_minute=9)
    record, pointer = begin(begun)

    assert parse(record.item) == begun
    assert record.item["task_id"] == "backfill#acme"
    assert pointer.item["of"] == "backfill#acme"
    assert of(begun) == FILL
    minutes = [NOON + minute * 60 for minute in range(1, 6)]
    assert list(FILL.slots(due().schedule, NOON + 1)) == minutes
    assert list(FILL.slots(due().schedule, NOON + 301)) == []


def test_it_moves_on_only_from_where_it_was_seen() -> None:
    begun = loop(FILL, NAMED)
    write = moved(begun, replace(begun, cursor="2026-11-18T12:02:00Z"))

    assert dict(write.sets)["cursor"] == "2026-11-18T12:02:00Z"
    assert [(clause.path, clause.value) for clause in write.clauses] == [
        (("rev",), 0),
        (("status",), "running"),
    ]
    assert "expires_at" not in dict(write.sets)


def test_its_pace_is_counted_by_the_minute() -> None:
    begun = loop(FILL, NAMED, per_minute=9)
    after = replace(begun, **begun.counted(NOON_MS, done=4))

    assert after.allowance(NOON_MS + 59_000) == 5
    assert after.allowance(NOON_MS + 60_000) == 9
    further = replace(after, **after.counted(NOON_MS + 30_000, done=2, left=1))
    assert (further.counts, further.allowance(NOON_MS)) == ({"done": 6, "left": 1}, 3)
