"""What is due is counted in full and held in part: on time as it comes, overdue to the budget."""

from __future__ import annotations

import random
import time
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onthedot.dispatch.due_tasks import Herd, Item, in_turn
from onthedot.schedule.time.instants import nominal
from tests.schedule.samples import NOON, NOON_MS, law

SINCE = nominal(NOON - 150)


def entry(task_id: str, at_sec: int, tenant_id: str = "acme") -> Item:
    """Returns a cursor that stands so many seconds from noon."""
    return {"task_id": task_id, "next_run_at": nominal(NOON + at_sec), "tenant_id": tenant_id}


def taken(herd: Herd) -> Counter[str]:
    """Returns how many overdue tasks of each tenant a tick takes on."""
    return Counter(item["tenant_id"] for item in herd.overdue)


def test_it_holds_no_more_overdue_ones_than_the_budget_and_counts_all() -> None:
    herd = Herd(budget=10)
    for page in range(100):
        herd.add([entry(f"{page} {n}", -3_600) for n in range(500)], since=SINCE)

    assert (herd.seen, herd.behind, len(herd.overdue)) == (50_000, 50_000, 10)
    assert herd.take_on_time() == []


def test_what_is_late_by_up_to_the_look_ahead_is_on_time() -> None:
    herd = Herd(budget=10)
    herd.add([entry("late", -151), entry("edge", -150), entry("ahead", 150)], since=SINCE)

    assert [item["task_id"] for item in herd.overdue] == ["late"]
    assert [item["task_id"] for item in herd.take_on_time()] == ["edge", "ahead"]
    assert herd.take_on_time() == []


def test_a_cursor_that_moved_between_two_pages_is_taken_once_as_seen_last() -> None:
    herd = Herd(budget=10)
    herd.add([entry("moving", 0)], since=SINCE)
    herd.add([entry("moving", 60)], since=SINCE)

    assert herd.take_on_time() == [entry("moving", 60)]


def test_not_fired_is_what_is_late_and_in_no_ones_hands() -> None:
    herd = Herd(budget=10)
    herd.add([entry("due", -90)], since=SINCE)
    assert herd.not_fired(NOON_MS) == 0

    herd.add([entry("late", -91)], since=SINCE)
    assert herd.not_fired(NOON_MS) == 1

    herd.add([entry("later", -200), entry("latest", -300)], since=SINCE)
    assert herd.not_fired(NOON_MS) == 2
    assert Herd(budget=10).not_fired(NOON_MS) == 0


@pytest.mark.parametrize("big_first", [True, False])
def test_a_tenant_with_10_000_overdue_leaves_the_10_of_another_their_place(
    *, big_first: bool
) -> None:
    big = [entry(f"big {n}", -9_000 + n % 100, "big") for n in range(10_000)]
    small = [entry(f"small {n}", -200, "small") for n in range(10)]
    herd = Herd(budget=500)
    for part in (big, small) if big_first else (small, big):
        for first in range(0, len(part), 500):
            herd.add(part[first : first + 500], since=SINCE)

    assert taken(herd) == {"big": 490, "small": 10}
    assert herd.behind == 10_010
    assert len(herd.late) <= 1_000


def test_what_a_tenant_does_not_need_goes_to_the_others() -> None:
    herd = Herd(budget=100)
    for tenant_id, number in (("a", 500), ("b", 30), ("c", 300), ("d", 5)):
        page = [entry(f"{tenant_id}{n}", -3_600, tenant_id) for n in range(number)]
        herd.add(page, since=SINCE)

    counts = taken(herd)
    assert (counts["b"], counts["d"]) == (30, 5)
    assert sorted((counts["a"], counts["c"])) == [32, 33]


def test_where_tenants_are_more_than_the_budget_who_waited_longest_comes_first() -> None:
    herd = Herd(budget=3)
    herd.add([entry(f"t{n}", -1_000 - n, f"t{n}") for n in range(9)], since=SINCE)

    assert [item["task_id"] for item in herd.overdue] == ["t8", "t7", "t6"]


OVERDUE = st.lists(st.tuples(st.sampled_from("abcd"), st.integers(200, 230)), max_size=40).map(
    lambda found: [entry(f"{n:02}", -sec, who) for n, (who, sec) in enumerate(found)]
)


@law
@given(OVERDUE, st.integers(1, 12), st.integers(1, 7))
def test_page_by_page_the_same_are_taken_as_at_once(
    items: list[Item], budget: int, page: int
) -> None:
    herd = Herd(budget=budget)
    for first in range(0, len(items), page):
        herd.add(items[first : first + page], since=SINCE)

    assert herd.overdue == in_turn(items)[:budget]


@law
@given(OVERDUE, st.integers(1, 12))
def test_nobody_has_two_more_than_one_who_wants_another(items: list[Item], budget: int) -> None:
    herd = Herd(budget=budget)
    herd.add(items, since=SINCE)

    wanted, counts = Counter(item["tenant_id"] for item in items), taken(herd)
    assert counts.total() == min(budget, len(items))
    for tenant_id, most in wanted.items():
        if counts[tenant_id] < most:
            assert max(counts.values()) <= counts[tenant_id] + 1


def test_5_000_overdue_of_many_tenants_are_shared_within_a_moment() -> None:
    items = [entry(f"{n}", -9_000 + n, f"t{n % 400}") for n in range(5_000)]
    random.Random(1).shuffle(items)

    def took() -> float:
        began = time.process_time()
        herd = Herd(budget=500)
        for first in range(0, 5_000, 500):
            herd.add(items[first : first + 500], since=SINCE)
        assert len(herd.overdue) == 500
        return time.process_time() - began

    # Some 10 ms on one core; ten times that is still nothing beside 5,000 claims.
    assert min(took() for _ in range(5)) < 0.1
