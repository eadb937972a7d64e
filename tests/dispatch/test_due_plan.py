"""Every slot that is due has one fate in one plan; what the policy says decides which."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from onthedot.dispatch.due_plan import BLACKOUT_MAX, Plan, plan
from onthedot.records.tasks.task_cursor import Due, left_after
from onthedot.records.timings import LATE_SEC, LOOK_AHEAD_SEC, ROWS_MAX
from onthedot.schedule.calendar_times import compile_calendar
from onthedot.schedule.schedule import compile_schedule, pack
from onthedot.schedule.time.instants import parse_nominal
from tests.schedule.samples import NOON, due, law

TEXTS = ("* * * * *", "*/10 * * * * *", "*/7 * * * *", "@every 45s", "0 */6 * * *", "0 0 1 1 *")


def plans(cursor: Due, now: int) -> Iterator[Plan]:
    """Plans as a tick does: what goes first by itself, then each from behind the one before."""
    while True:
        planned = plan(cursor, now)
        yield planned
        if not (planned.range or planned.goes_on) or planned.following is None:
            return
        assert planned.following > cursor.next_run_at
        left = left_after(cursor, len(planned.firings))
        cursor = replace(cursor, next_run_at=planned.following, runs_left=left)


def _mixed(planned: Plan) -> bool:
    """Tells whether something fires behind what is recorded, before that is known to be so."""
    slots = [record.slot for record in planned.unfired]
    return any(firing.slot > slot for firing in planned.firings for slot in slots)


def slots_due(cursor: Due, now: int) -> list[int]:
    """Returns every slot from the cursor on that is due within the look-ahead, by walking."""
    schedule = cursor.schedule
    slot = schedule.next(cursor.next_run_at - 86_402)
    found = []
    while slot is not None and slot <= now + LOOK_AHEAD_SEC:
        if cursor.next_run_at <= schedule.due_at(slot) <= now + LOOK_AHEAD_SEC:
            found.append(slot)
        slot = schedule.next(slot)
    return found


@law
@given(
    cursor=st.builds(
        due,
        st.sampled_from(TEXTS),
        misfire=st.sampled_from(["latest", "all", "none"]),
        grace_sec=st.sampled_from([0, 60, 600, 3_600, 86_400]),
        jitter_sec=st.sampled_from([0, 1, 30, 600]),
        runs_left=st.none() | st.integers(1, 40),
    ),
    late_sec=st.integers(-200, 9_000),
)
def test_every_due_slot_fires_once_or_is_recorded_once(cursor: Due, late_sec: int) -> None:
    first = cursor.schedule.next(NOON - 1)
    assert first is not None
    cursor = replace(cursor, next_run_at=cursor.schedule.due_at(first))
    now = cursor.next_run_at + late_sec
    expected = slots_due(cursor, now)

    told: list[int] = []
    fired = 0
    for planned in plans(cursor, now):
        if spanned := planned.range:
            within = [slot for slot in expected if spanned.slot <= slot <= spanned.last]
            assert len(within) == spanned.count
            assert not planned.firings
            told += within
        else:
            told += [firing.slot for firing in planned.firings]
            told += [record.slot for record in planned.unfired]
            fired += len(planned.firings)
            assert cursor.runs_left is None or not planned.goes_on or not _mixed(planned)
            assert len(planned.unfired) <= 2 * ROWS_MAX
        last = planned

    if cursor.runs_left is not None and fired == cursor.runs_left:
        assert last.following is None
        assert sorted(told) == expected[: len(told)]
    else:
        assert sorted(told) == expected
        assert last.following is not None
        assert last.following > now + LOOK_AHEAD_SEC


@law
@given(
    misfire=st.sampled_from(["latest", "all", "none"]),
    grace_sec=st.sampled_from([0, 89, 90, 91, 150, 3_600]),
    late_sec=st.integers(0, 5_000),
)
def test_what_is_not_late_always_fires_and_the_grace_is_never_less_than_that(
    misfire: str, grace_sec: int, late_sec: int
) -> None:
    now = NOON + late_sec
    *_, planned = plans(due("* * * * *", misfire=misfire, grace_sec=grace_sec), now)

    fresh = {slot for slot in slots_due(due("* * * * *"), now) if slot >= now - LATE_SEC}
    assert fresh <= {firing.slot for firing in planned.firings}
    for record in planned.unfired:
        outside = record.due < now - max(grace_sec, LATE_SEC)
        assert (record.reason == "outside_grace") == outside


@pytest.mark.parametrize("grace_sec", [7_200, 7_260, 12_000])
@pytest.mark.parametrize("outside", [1, 2, 100, 101])
def test_whatever_stands_before_a_long_group_the_plan_gets_behind_both(
    grace_sec: int, outside: int
) -> None:
    now = NOON + grace_sec + outside * 60 - 1
    planned = list(plans(due("* * * * *", grace_sec=grace_sec), now))

    assert planned[-1].range is None
    assert planned[-1].firings[0].slot == (now - LATE_SEC + 59) // 60 * 60


def test_a_hundred_alike_have_a_row_each_and_one_more_makes_a_range() -> None:
    cursor = due("* * * * *", misfire="none", grace_sec=86_400)
    now = NOON + LATE_SEC + (ROWS_MAX - 1) * 60 + 60

    few, many = plan(cursor, now), plan(cursor, now + 1)

    assert few.range is None
    assert [record.reason for record in few.unfired] == ["policy_none"] * ROWS_MAX
    assert many.range is not None
    assert many.range.count == ROWS_MAX + 1


def test_a_gap_before_a_long_group_holds_nothing_up() -> None:
    schedule = compile_schedule("0,30 2 * * *", timezone="America/New_York", dst_gap="skip")
    after = schedule.next(parse_nominal("2027-03-14T07:00:00Z"))
    assert after is not None
    cursor = due(next_run_at=after, compiled=pack(schedule))

    *ranges, last = plans(cursor, after + 60 * 86_400)

    assert [spanned.range.reason for spanned in ranges if spanned.range] == ["outside_grace"]
    assert last.range is None
    assert last.following is not None


def test_a_range_begins_at_the_cursor_whoever_plans_it() -> None:
    cursor = due("*/10 * * * * *")

    earlier, later = plan(cursor, NOON + 9_000), plan(cursor, NOON + 9_500)

    assert earlier.range is not None
    assert later.range is not None
    assert earlier.range.slot == later.range.slot == NOON
    assert earlier.range.last < later.range.last


def test_the_newest_late_slot_fires_for_the_others() -> None:
    planned = plan(due("*/5 * * * *"), NOON + 699)

    assert (planned.firings[0].slot, planned.firings[0].origin) == (NOON + 600, "catchup")
    assert {record.reason for record in planned.unfired} == {"coalesced"}
    assert {record.status for record in planned.unfired} == {"skipped"}


def test_where_a_newer_slot_is_due_in_time_no_late_one_fires() -> None:
    planned = plan(due("* * * * *"), NOON + 600)

    assert [firing.origin for firing in planned.firings] == ["schedule"] * 4
    assert planned.firings[0].slot == NOON + 540
    assert [record.due for record in planned.unfired] == list(range(NOON, NOON + 540, 60))
    assert {record.reason for record in planned.unfired} == {"coalesced"}


def test_a_newer_slot_that_a_calendar_closes_passes_over_no_late_one() -> None:
    closed = compile_calendar("from eight on", cron="8-59 12 * * *")

    planned = plan(due("* * * * *", closed=(closed,)), NOON + 600)

    assert [(one.slot, one.origin) for one in planned.firings] == [(NOON + 420, "catchup")]


def test_each_late_slot_fires_under_all_and_none_under_none() -> None:
    each = plan(due("* * * * *", misfire="all"), NOON + 600)
    none = plan(due("* * * * *", misfire="none"), NOON + 600)

    assert [one.origin for one in each.firings] == ["catchup"] * 9 + ["schedule"] * 4
    assert [one.origin for one in none.firings] == ["schedule"] * 4
    assert [one.reason for one in none.unfired] == ["policy_none"] * 9


def test_a_one_off_keeps_its_origin_however_late() -> None:
    cursor = due("at(2026-11-18T12:00:00)", task_id="tsk_X")

    assert [firing.origin for firing in plan(cursor, NOON).firings] == ["task"]
    assert [firing.origin for firing in plan(cursor, NOON + 1_000).firings] == ["task"]
    assert plan(cursor, NOON).following is None


def test_a_cursor_between_two_slots_goes_on_at_the_next() -> None:
    planned = plan(due("* * * * *", next_run_at=NOON + 1), NOON)

    assert [firing.slot for firing in planned.firings] == [NOON + 60, NOON + 120]


def test_nothing_is_due_before_its_time() -> None:
    planned = plan(due("* * * * *", next_run_at=NOON + 600), NOON)

    assert (planned.firings, planned.unfired, planned.following) == ([], [], NOON + 600)


def test_without_runs_left_nothing_fires_and_nothing_follows() -> None:
    planned = plan(due("* * * * *", runs_left=0), NOON)

    assert (planned.firings, planned.following) == ([], None)


def test_gaps_of_the_clock_are_recorded_beside_the_range_that_spans_them() -> None:
    schedule = compile_schedule("0,30 2 * * *", timezone="America/New_York", dst_gap="skip")
    first = schedule.next(parse_nominal("2026-12-01T00:00:00Z"))
    assert first is not None
    cursor = replace(due(next_run_at=first), compiled=pack(schedule), grace_sec=3_600)

    planned = plan(cursor, parse_nominal("2027-05-01T00:00:00Z"))

    assert planned.range is not None
    assert planned.range.count > ROWS_MAX
    (gap,) = planned.unfired[1:]
    assert (gap.slot, gap.reason) == (parse_nominal("2027-03-14T07:00:00Z"), "dst_gap")


def test_a_blackout_of_the_past_before_many_missed_slots_is_not_forgotten() -> None:
    closed = compile_calendar("lunch", cron="0-2 12 * * *")
    cursor = replace(due("* * * * *", grace_sec=60), closed=(closed,))

    blackout, missed, _ = plans(cursor, NOON + 86_400)

    assert (blackout.range and blackout.range.reason) == "calendar"
    assert (blackout.range and blackout.range.count) == 3
    assert (missed.range and missed.range.slot) == NOON + 180


def test_a_blackout_that_is_to_come_is_recorded_for_a_day_of_minutes_at_most() -> None:
    """What lies beyond may fire after all, for an edit may lift it."""
    closed = compile_calendar("november", cron="* * * 11 *")

    planned = plan(replace(due("* * * * *"), closed=(closed,)), NOON)

    assert planned.range is not None
    assert (planned.range.count, planned.range.last) == (BLACKOUT_MAX, NOON + 1_439 * 60)
    assert planned.following == NOON + 1_440 * 60
