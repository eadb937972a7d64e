"""What a row says: its life as it is stored and read again, its span, its end."""

from __future__ import annotations

import pytest

from onthedot.records.runs import run_writes
from onthedot.records.runs.run_row import FINAL, OPEN, ended, parse, readable, row_key
from tests.schedule.samples import NOON_MS, SLOT, TASK_ID, run

ITEM = run_writes.insert(run(), now_ms=NOON_MS).item


def test_what_is_not_yet_is_not_stored_but_for_what_writes_are_conditional_on() -> None:
    assert run().life.stored() == {
        "status": "claimed",
        "attempt": 0,
        "tv": 1,
        "schedule_version": 1,
        "due_ms": NOON_MS,
        "lease_ms": 0,
    }
    kept = run(attempts=({"attempt": 1},), note="why", result=0).life.stored()
    assert (kept["attempts"], kept["note"], kept["result"]) == ([{"attempt": 1}], "why", "0")


def test_a_run_is_late_by_when_it_was_due_first() -> None:
    assert run().life.due_first_ms == NOON_MS
    assert run(first_due_ms=NOON_MS - 5_000).life.due_first_ms == NOON_MS - 5_000


@pytest.mark.parametrize("status", sorted(OPEN | FINAL))
def test_a_run_is_final_when_its_outcome_is_written(status: str) -> None:
    assert run(status=status).final is (status in FINAL)


def test_a_range_says_from_where_to_where_and_how_many_if_they_were_counted() -> None:
    many = run(key=f"{SLOT}~g1", range_to="2026-11-18T13:00:00Z", range_count=60)
    uncounted = run(key=f"{SLOT}~g1", range_to="2026-11-18T13:00:00Z")

    assert many.is_range
    assert many.span == {"from": SLOT, "to": "2026-11-18T13:00:00Z", "count": 60}
    assert uncounted.span == {"from": SLOT, "to": "2026-11-18T13:00:00Z", "count": None}
    assert not run().is_range
    assert run().span is None


@pytest.mark.parametrize(
    "spoiled",
    [
        {"life": {"status": "claimed"}},
        {"life": {**ITEM["life"], "result": "{"}},
        {"life": {**ITEM["life"], "attempts": 5}},
        {"life": "claimed"},
    ],
)
def test_a_row_of_another_form_is_none_of_ours(spoiled: dict[str, object]) -> None:
    assert readable(ITEM) == parse(ITEM) == run()
    assert readable({**ITEM, **spoiled}) is None


def test_a_row_is_found_by_the_id_of_its_run() -> None:
    assert row_key(run().run_id) == {"task_id": TASK_ID, "scheduled_for": SLOT}


def test_an_outcome_ends_the_lease() -> None:
    running = run(status="running", attempt=2, lease_ms=NOON_MS + 9).life
    life = ended(running, "skipped", "handler", now_ms=NOON_MS + 5, note="nothing to do")

    assert (life.status, life.reason, life.note) == ("skipped", "handler", "nothing to do")
    assert (life.ended_ms, life.lease_ms, life.attempt) == (NOON_MS + 5, 0, 2)
