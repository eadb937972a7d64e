"""What a row says: its life as it is stored and read again, its span, its end."""

from __future__ import annotations

from functools import reduce
from operator import or_
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onthedot.records.runs import run_writes
from onthedot.records.runs.run_row import ended, life_of, parse, readable, row_key
from onthedot.records.runs.run_status import FINAL, OPEN, Reason, Status
from tests.schedule.samples import NOON_MS, SLOT, TASK_ID, law, run

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
    life = ended(running, Status.SKIPPED, Reason.HANDLER, now_ms=NOON_MS + 5, note="nothing to do")

    assert (life.status, life.reason, life.its_end.note) == (
        Status.SKIPPED,
        Reason.HANDLER,
        "nothing to do",
    )
    assert (life.its_end.ended_ms, life.lease_ms, life.starts) == (NOON_MS + 5, 0, 2)


# What a row may say of each part, and of the rest of a life.
CLAIM = {"claim_id": "D1", "claim_until": 7}
BOOKING = {"gate_ms": 9, "gate_behind_ms": 2}
STARTED = {
    "owner": "W",
    "msg": "M",
    "lease_ms": 20_000,
    "started_ms": 5,
    "first_started_ms": 3,
    "version": 4,
    "log": "2026/11/18/[1]abc",
    "waits_on": "arn:x",
}
OVER = {
    "ended_ms": 8,
    "note": "closed",
    "delivered": True,
    "result": '{"n":1}',
    "error": {"type": "E"},
}
BESIDE = {
    "reason": "failed",
    "first_due_ms": 1,
    "claimed_ms": 2,
    "dropped": "ended",
    "waited": "line",
    "buried": 1,
    "released": 1,
    "key_gate": "acme#k",
    "permit": "3",
    "checkpoint": '{"page":2}',
    "progress": "0.5",
    "attempts": [{"attempt": 1, "outcome": "lost"}],
}


def some(fields: dict[str, Any], first: str = "") -> st.SearchStrategy[dict[str, Any]]:
    """Some of the fields, or none; if any, then the first one, if one is named."""
    names = st.sets(st.sampled_from(sorted(fields)))
    return names.map(
        lambda chosen: {name: fields[name] for name in chosen | ({first} if first else set())}
    )


def lives() -> st.SearchStrategy[dict[str, Any]]:
    """Stored lives of every status, with missing optional fields."""
    parts = st.tuples(
        some(BESIDE),
        st.just({}) | some(CLAIM, "claim_id"),
        st.just({}) | some(BOOKING, "gate_ms"),
        st.just({"attempt": 0, "lease_ms": 0})
        | some(STARTED).map(lambda started: {"lease_ms": 0, **started, "attempt": 2}),
        st.just({}) | some(OVER, "ended_ms"),
    )
    plain = {"tv": 1, "schedule_version": 1, "due_ms": NOON_MS}
    return st.builds(
        lambda status, told: reduce(or_, told, {**plain, "status": status}),
        st.sampled_from(sorted(OPEN | FINAL)),
        parts,
    )


@law
@given(lives())
def test_a_life_is_stored_again_as_it_was_read(stored: dict[str, Any]) -> None:
    assert life_of(stored).stored() == stored


def test_a_part_that_is_not_there_is_read_as_none() -> None:
    life = life_of({"status": "claimed", "tv": 1, "schedule_version": 1, "due_ms": NOON_MS})

    assert (life.claim, life.booking, life.attempt, life.end) == (None, None, None, None)
    assert (life.starts, life.lease_ms) == (0, 0)


def test_a_part_that_is_asked_for_too_early_says_so() -> None:
    life = run().life

    with pytest.raises(LookupError, match="a claimed run has not started"):
        assert life.its_attempt
    with pytest.raises(LookupError, match="a claimed run has not ended"):
        assert life.its_end
