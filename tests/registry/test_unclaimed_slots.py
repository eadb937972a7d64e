"""Slots that nobody claimed before a write have an outcome after it: one row each, or a range."""

from __future__ import annotations

import pytest

from onthedot.schedule.blackouts import blackout
from tests.simulation.calm import add, go, outcomes, part, runs, said, spoil, wait
from tests.simulation.stage import Stage
from tests.simulation.users import user


def test_what_was_due_and_never_dispatched_is_recorded_before_an_edit(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    wait(stage, 130)

    user.pause(task.task_id)

    assert outcomes(stage, task) == {
        "12:01:00": "missed(unaccounted)",
        "12:02:00": "missed(unaccounted)",
    }


def test_what_is_claimed_already_keeps_its_row(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    go(stage, 70)

    user.pause(task.task_id)
    wait(stage, 200)
    user.resume(task.task_id)

    assert outcomes(stage, task)["12:01:00"] == "succeeded"
    assert outcomes(stage, task)["12:02:00"] == "skipped(paused)"


@pytest.mark.parametrize(("minutes", "rows"), [(99, 99), (100, 100), (101, 1)])
def test_up_to_a_hundred_are_rows_and_more_are_one(stage: Stage, minutes: int, rows: int) -> None:
    task = add(stage, "* * * * *")
    user.pause(task.task_id)
    wait(stage, minutes * 60 + 1)

    user.delete(task.task_id)

    found = runs(stage, task)
    assert len(found) == rows
    assert sum(run.range_count or 1 for run in found) == minutes
    assert {run.life.reason for run in found} == {"paused"}


def test_what_a_calendar_closes_of_many_is_told_apart_from_what_was_missed(stage: Stage) -> None:
    lunch = blackout("lunch", cron="1-20 12 * * *")
    task = add(stage, "*/20 * * * * *", blackouts=(lunch,))
    wait(stage, 60 * 60)

    user.pause(task.task_id)

    told = [
        (run.key[11:-4], run.range_to[11:-1], run.range_count, said(run))
        for run in runs(stage, task)
    ]
    assert told == [
        ("12:00:20", "12:00:40", 2, "missed(unaccounted)"),
        ("12:01:00", "12:20:40", 60, "skipped(calendar)"),
        ("12:21:00", "13:00:00", 118, "missed(unaccounted)"),
    ]
    assert [run.life.its_end.note for run in runs(stage, task)] == ["", "lunch", ""]


def test_stretches_too_many_to_be_told_apart_are_one_that_says_what_was_missed(
    stage: Stage,
) -> None:
    task = add(stage, "*/20 * * * * *", blackouts=(blackout("odd", cron="*/2 * * * *"),))
    wait(stage, 130 * 60)

    user.pause(task.task_id)

    (whole,) = runs(stage, task)
    assert said(whole) == "missed(unaccounted)"
    assert whole.range_count == 390


@pytest.mark.parametrize(
    ("seconds", "paused_sec", "first"), [("*", 0, "12:00:01"), ("*/3", 2, "12:00:03")]
)
def test_a_year_of_seconds_is_closed_within_a_call_and_says_that_it_was_not_counted(
    stage: Stage, seconds: str, paused_sec: int, first: str
) -> None:
    task = add(stage, f"{seconds} * * * * *")
    wait(stage, paused_sec)
    user.pause(task.task_id)
    paused_at = part(stage, task, "spec")["paused_at"] - 365 * 86_400
    spoil(stage, task, "spec", paused_at=paused_at, effective_from=paused_at)

    user.resume(task.task_id)

    (whole,) = [run for run in runs(stage, task) if run.range_to]
    assert whole.key.startswith(f"2025-11-18T{first}Z~g")
    assert (whole.range_to, whole.range_count) == ("2026-11-18T12:00:00Z", 0)


def test_a_second_schedule_under_a_pause_answers_for_its_own_time_only(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    user.pause(task.task_id)
    wait(stage, 125)
    user.patch(task.task_id, cron="30 * * * * *")
    wait(stage, 215)

    user.resume(task.task_id)

    recorded = {at: told for at, told in outcomes(stage, task).items() if told != "claimed"}
    assert recorded == dict.fromkeys(("12:01:00", "12:02:00", "12:02:30", "12:03:30"), _PAUSED)


def test_slots_of_a_quarantined_task_are_missed_as_that(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    spoil(stage, task, "cursor", compiled=b"\xff")
    go(stage, 150)
    assert part(stage, task, "spec")["status"] == "invalid"

    user.patch(task.task_id, priority=1)

    recorded = {at: told for at, told in outcomes(stage, task).items() if told != "claimed"}
    assert recorded == dict.fromkeys(("12:01:00", "12:02:00"), "missed(quarantined)")


def test_jitter_carries_no_slot_over_the_edge_twice(stage: Stage) -> None:
    task = add(stage, "* * * * *", name="late", jitter_sec=59)
    offset = task.schedule.jitter_offset_sec
    user.pause(task.task_id)
    wait(stage, 60 + offset)
    user.resume(task.task_id)

    slots = [run.key for run in runs(stage, task) if run.life.reason == "paused"]
    assert slots == ["2026-11-18T12:00:00Z", "2026-11-18T12:01:00Z"][1 - (offset > 0) :]


_PAUSED = "skipped(paused)"
