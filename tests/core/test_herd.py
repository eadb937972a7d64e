"""What is due is counted in full and held in part: on time as it comes, overdue to the budget."""

from __future__ import annotations

from onthedot.core.herd import Herd, Item
from onthedot.core.instants import nominal
from tests.core.made import NOON, NOON_MS

SINCE = nominal(NOON - 150)


def entry(task_id: str, at_sec: int) -> Item:
    """A cursor that stands so many seconds from noon."""
    return {"task_id": task_id, "next_run_at": nominal(NOON + at_sec)}


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


def test_not_fired_is_what_is_more_than_half_a_minute_behind() -> None:
    herd = Herd(budget=10)
    herd.add([entry("due", -30)], since=SINCE)
    assert herd.not_fired(NOON_MS) == 0

    herd.add([entry("late", -31)], since=SINCE)
    assert herd.not_fired(NOON_MS) == 1

    herd.add([entry("later", -200), entry("latest", -300)], since=SINCE)
    assert herd.not_fired(NOON_MS) == 2
    assert Herd(budget=10).not_fired(NOON_MS) == 0
