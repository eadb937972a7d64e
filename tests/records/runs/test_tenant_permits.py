"""A tenant's quota as values: which permits are free, who may have one, who stands in line."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as some

from onthedot.records.conditional_writes import Insert, Update
from onthedot.records.keys import slot_key
from onthedot.records.runs import tenant_permits
from onthedot.records.runs.run_row import Run
from onthedot.records.runs.tenant_permits import Permit, Quota
from tests.schedule.samples import NOON, NOON_MS, law, run


def held(number: int, holder: str = "r", lease_ms: int = NOON_MS) -> Permit:
    """Returns a permit in somebody's hands."""
    return Permit(tenant_id="acme", number=number, holder=holder, owner="w", lease_ms=lease_ms)


def of(most: int, *permits: Permit) -> Quota:
    """Returns a quota of which these permits were used."""
    return Quota(tenant_id="acme", most=most, permits={each.number: each for each in permits})


def due(second: int, queue: str = "normal") -> Run:
    """Returns a run that has been due since then."""
    plain = run(slot_key(NOON + second), due_ms=NOON_MS + second * 1000)
    return replace(plain, queue=queue)


def test_what_was_never_used_given_back_or_is_over_is_free() -> None:
    over = held(1, lease_ms=NOON_MS - 5_001)
    back = replace(held(2), holder="", owner="", lease_ms=0)

    assert of(4, held(0), over, back).free(NOON_MS) == [1, 2, 3]


def test_a_lease_that_may_live_by_another_clock_is_not_free() -> None:
    assert of(1, held(0, lease_ms=NOON_MS - 5_000)).free(NOON_MS) == []


def test_permits_above_a_lowered_limit_count_while_they_are_held() -> None:
    assert of(2, held(3), held(4)).free(NOON_MS) == []
    assert of(2, held(3)).free(NOON_MS) == [0]


def test_who_has_been_due_longest_comes_first() -> None:
    late, soon = due(9), due(1)

    assert tenant_permits.allot([7], [], [late, soon], 0.0) == {soon.run_id: 7}


def test_nobody_passes_who_waits_longer() -> None:
    line = [tenant_permits.in_line(due(1)), tenant_permits.in_line(due(2))]

    assert tenant_permits.allot([0, 1], line, [due(5)], 0.0) == {}
    assert tenant_permits.allot([0, 1, 2], line, [due(5)], 0.0) == {due(5).run_id: 0}
    assert tenant_permits.allot([0], line, [due(0)], 0.0) == {due(0).run_id: 0}


def test_who_comes_to_fetch_its_run_takes_what_is_free() -> None:
    fetched = due(5, "pull:2:gpu")

    assert tenant_permits.allot([0], [tenant_permits.in_line(due(1))], [fetched], 0.0) == {
        fetched.run_id: 0
    }


@pytest.mark.parametrize(("fraction", "number"), [(0.0, 4), (0.5, 6), (0.99, 7)])
def test_where_to_begin_is_drawn_so_that_workers_take_different_permits(
    fraction: float, number: int
) -> None:
    assert tenant_permits.allot([4, 5, 6, 7], [], [due(1)], fraction) == {due(1).run_id: number}


@law
@given(
    some.integers(0, 12),
    some.sets(some.integers(0, 30), max_size=12),
    some.sets(some.integers(0, 30), max_size=12),
    some.floats(0, 0.999),
)
def test_as_many_start_as_there_are_permits_and_those_due_longest(
    free: int, waiting: set[int], asking: set[int], fraction: float
) -> None:
    runs = {second: due(second) for second in asking}
    line = [tenant_permits.in_line(due(second)) for second in waiting]

    got = tenant_permits.allot(range(free), line, runs.values(), fraction)

    first = sorted(waiting | asking)[:free]
    assert set(got) == {runs[second].run_id for second in first if second in asking}
    assert len(set(got.values())) == len(got)
    assert set(got.values()) <= set(range(free))


def test_a_permit_is_taken_as_it_was_seen() -> None:
    seen = held(1, holder="other")

    first = of(2, seen).take(held(0))
    second = of(2, seen).take(held(1))

    assert isinstance(first, Insert)
    assert isinstance(second, Update)
    assert {clause.value for clause in second.clauses} == {"other", "w", NOON_MS}


def test_only_its_holder_by_its_worker_keeps_it_or_gives_it_back() -> None:
    for write in (tenant_permits.extend(held(0), NOON_MS), tenant_permits.give_back(held(0))):
        compared = {clause.path[-1]: clause.value for clause in write.clauses}
        assert compared == {"holder": "r", "owner": "w"}


def test_the_row_names_the_permit_of_its_newest_attempt() -> None:
    begun = run(status="running", attempt=1, owner="w", permit="12", lease_ms=NOON_MS)

    assert tenant_permits.permit_of(begun) == held(12, begun.run_id)
    assert tenant_permits.permit_of(run()) is None


def test_items_are_read_back_as_they_were_written() -> None:
    items = [
        {**tenant_permits.limit_key("acme"), "most": 3},
        {**dict(held(2).key), "held": held(2).held},
    ]

    assert tenant_permits.quota("acme", items) == of(3, held(2))
    assert tenant_permits.quota("acme", []) == of(0)


def test_an_entry_sorts_by_due_time_and_names_its_run() -> None:
    entry = tenant_permits.entry(due(3), "stamp", NOON_MS)

    assert tenant_permits.named(entry) == due(3).run_id
    assert tenant_permits.in_line(due(3)) < tenant_permits.in_line(due(20))
    assert entry["expires_at"] == NOON + 86_400
    assert {key: entry[key] for key in ("task_id", "scheduled_for")} == tenant_permits.entry_key(
        due(3)
    )


@pytest.mark.parametrize(
    ("life", "still"),
    [
        ({}, True),
        ({"status": "retrying", "attempt": 1}, True),
        ({"status": "running", "attempt": 1, "lease_ms": NOON_MS - 5_001}, True),
        ({"status": "running", "attempt": 1, "lease_ms": NOON_MS}, False),
        ({"status": "awaiting", "attempt": 1, "lease_ms": NOON_MS}, False),
        ({"status": "cancelled", "reason": "user"}, False),
        ({"due_ms": NOON_MS + 1}, True),
    ],
)
def test_whose_entry_is_struck_may_need_a_message(life: dict[str, Any], still: bool) -> None:  # noqa: FBT001 a table
    assert tenant_permits.waits(run(**life), NOON_MS) is still


def test_what_is_fetched_by_workers_now_is_called_by_nobody() -> None:
    fetched = replace(run(), queue="pull:2:gpu")

    assert not tenant_permits.waits(fetched, NOON_MS)
