"""Bounds are inclusive, jitter is the same for every slot, and nothing else moves a slot."""

from __future__ import annotations

from collections import Counter
from itertools import islice

import pytest

from onthedot.schedule.expression.stable_hash import spread
from onthedot.schedule.schedule import compile_schedule

T0 = 1_795_000_000
TASK_ID = "sch_01JD3Z8QK5M7V2X9T4B6N1C0RA"
IDS = 10_000


@pytest.mark.parametrize("jitter_sec", [0, 1, 59, 60, 3600, 86_400])
@pytest.mark.parametrize(
    ("text", "zone"),
    [
        ("* * * * *", "UTC"),
        ("* * * * * *", "UTC"),
        ("*/15 9-17 * * *", "America/New_York"),
        ("0 0 1 * *", "Asia/Beirut"),
        ("0,1 0 * * *", "UTC"),
        ("@every 90s", "UTC"),
    ],
)
def test_jitter_never_reaches_the_next_slot_nor_goes_before_its_own(
    text: str, zone: str, jitter_sec: int
) -> None:
    for seed in ("a", "b", TASK_ID):
        schedule = compile_schedule(text, timezone=zone, jitter_sec=jitter_sec, seed=seed)
        offset = spread(seed, "jitter", jitter_sec + 1)
        for slot in islice(schedule.slots(T0), 50):
            following = schedule.next(slot)
            assert following is not None

            assert slot <= schedule.due_at(slot) < following
            assert schedule.due_at(slot) == slot + min(offset, following - slot - 1)


def test_jitter_is_the_same_for_every_slot_and_moves_none() -> None:
    plain = compile_schedule("0 * * * *")
    late = compile_schedule("0 * * * *", jitter_sec=600, seed=TASK_ID)
    slots = list(islice(late.slots(T0), 100))

    assert slots == list(islice(plain.slots(T0), 100))
    assert {late.due_at(slot) - slot for slot in slots} == {late.jitter_offset_sec}
    assert late.jitter_offset_sec == spread(TASK_ID, "jitter", 601)


def test_jitter_lies_evenly_over_its_span_both_ends_included() -> None:
    counts = Counter(
        compile_schedule("0 9 * * *", jitter_sec=59, seed=f"sch_{number}").jitter_offset_sec
        for number in range(IDS)
    )

    assert set(counts) == set(range(60))
    assert min(counts.values()) > 0.6 * IDS / 60
    assert max(counts.values()) < 1.4 * IDS / 60


def test_the_last_slot_of_all_has_its_whole_jitter() -> None:
    schedule = compile_schedule("at(2027-01-01T00:00:00)", jitter_sec=86_400, seed=TASK_ID)
    slot = schedule.next(0)
    assert slot is not None

    assert schedule.due_at(slot) == slot + schedule.jitter_offset_sec


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_a_slot_on_either_bound_fires(zone: str) -> None:
    every = list(islice(compile_schedule("0 9 * * *", timezone=zone).slots(T0), 5))
    first, last = every[0], every[-1]
    bounded = compile_schedule("0 9 * * *", timezone=zone, start_at=first, end_at=last)
    inner = compile_schedule("0 9 * * *", timezone=zone, start_at=first + 1, end_at=last - 1)
    only = compile_schedule("0 9 * * *", timezone=zone, start_at=last, end_at=last)

    assert list(bounded.slots(0)) == every
    assert list(inner.slots(0)) == every[1:-1]
    assert list(only.slots(0)) == [last]
    assert bounded.prev(first) is None
    assert bounded.prev(first + 1) == first
    assert bounded.prev(2 * last) == last


def test_bounds_without_a_slot_between_them_leave_nothing() -> None:
    schedule = compile_schedule("0 9 * * *", start_at=T0, end_at=T0)

    assert schedule.next(0) is None
    assert schedule.prev(2 * T0) is None


@pytest.mark.parametrize("text", ["30 1 * * *", "@every 7m", "*/5 * * * * *"])
def test_an_instant_matches_when_it_is_a_slot(text: str) -> None:
    schedule = compile_schedule(text, timezone="America/New_York")
    slots = list(islice(schedule.slots(T0), 20))

    assert all(schedule.matches(slot) for slot in slots)
    assert not any(schedule.matches(slot + 1) for slot in slots)


def test_equal_schedules_are_equal_and_know_nothing_of_their_spelling() -> None:
    one, other = compile_schedule("0 9 * * MON"), compile_schedule("0 9 ? * 1-1")

    assert one == other
    assert hash(one) == hash(other)
