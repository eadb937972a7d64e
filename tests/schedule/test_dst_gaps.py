"""A slot that a gap skips has an outcome too: skipped, because of the gap."""

from __future__ import annotations

from onthedot.dispatch.due_plan import Plan, plan, skipped_gaps
from onthedot.records.tasks.task_cursor import Due
from onthedot.schedule.schedule import Schedule, compile_schedule, pack
from onthedot.schedule.time.instants import parse_instant

GAP = parse_instant("2027-03-14T07:00:00Z", "gap")
BEFORE, AFTER = GAP - 86_400 * 2, GAP + 86_400 * 2


def _schedule(text: str, gap: str = "skip") -> Schedule:
    return compile_schedule(text, timezone="America/New_York", dst_gap=gap)


def test_a_gap_is_found_where_a_wall_in_it_matches() -> None:
    assert skipped_gaps(_schedule("30 2 * * *"), BEFORE, AFTER) == [GAP]
    assert skipped_gaps(_schedule("0,30 2 * * *"), BEFORE, AFTER) == [GAP]
    assert skipped_gaps(_schedule("30 3 * * *"), BEFORE, AFTER) == []


def test_a_gap_is_nobodys_when_the_policy_fires_or_the_schedule_runs_on_elapsed_time() -> None:
    assert skipped_gaps(_schedule("30 2 * * *", "fire"), BEFORE, AFTER) == []
    assert skipped_gaps(_schedule("*/30 * * * *"), BEFORE, AFTER) == []
    assert skipped_gaps(_schedule("@every 90s"), BEFORE, AFTER) == []


def test_a_regular_slot_at_the_gaps_end_stands_for_itself() -> None:
    assert skipped_gaps(_schedule("0,30 2,3 * * *"), BEFORE, AFTER) == []


def test_the_plan_records_the_gap_with_the_slot_after_it_and_only_then() -> None:
    schedule = _schedule("30 2 * * *")
    before = schedule.prev(GAP) or 0
    after = schedule.next(GAP) or 0
    first = _plan(schedule, before)
    second = _plan(schedule, after)

    assert [(one.slot, one.status, one.reason) for one in first.unfired] == []
    assert [(one.slot, one.status, one.reason) for one in second.unfired] == [
        (GAP, "skipped", "dst_gap")
    ]
    assert [firing.slot for firing in second.firings] == [after]


def test_a_gap_before_a_schedule_begins_is_none_of_its_own() -> None:
    schedule = compile_schedule(
        "30 2,4 * * *", timezone="America/New_York", dst_gap="skip", start_at=GAP + 1
    )
    first = schedule.next(GAP) or 0

    assert [one.reason for one in _plan(schedule, first).unfired] == []


def test_three_hours_are_a_gap_and_more_are_a_correction() -> None:
    casey = parse_instant("2018-10-06T20:00:00Z", "gap")
    apia = parse_instant("2011-12-30T10:00:00Z", "gap")
    around = 86_400 * 2

    def gaps(zone: str, at: int) -> list[int]:
        schedule = compile_schedule("30 0-23 * * *", timezone=zone, dst_gap="skip")
        return skipped_gaps(schedule, at - around, at + around)

    assert gaps("Antarctica/Casey", casey) == [casey]
    assert gaps("Pacific/Apia", apia) == []


def _plan(schedule: Schedule, slot: int) -> Plan:
    due = Due(
        task_id="sch_X",
        tenant_id="acme",
        next_run_at=slot,
        version=1,
        schedule_version=1,
        compiled=pack(schedule),
        misfire="latest",
        grace_sec=3600,
        queue="normal",
    )
    return plan(due, slot - 100)
