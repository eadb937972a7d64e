"""What a calendar excludes does not fire, and says so; an edit of it holds for what is queued."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.blackouts import Blackout, blackout
from tests.simulation.calm import FREE, add, go, outcomes, runs, wait
from tests.simulation.stage import Stage, make_task
from tests.simulation.users import user

TWO_MINUTES = blackout("lunch", cron="2-3 12 * * *")
THE_DAY = blackout("holiday", dates=["2026-11-18"])


def closed_by(*blackouts: Blackout) -> dict[str, Any]:
    return {"blackouts": blackouts}


def reclose(task: Task, *blackouts: Blackout) -> None:
    """Edits its calendars, as the API does when one of them is edited."""
    user.change(
        task.task_id,
        lambda seen, now: replace(
            seen,
            blackouts=blackouts,
            schedule_version=seen.schedule_version + 1,
            effective_from=now,
        ),
    )


def test_a_slot_inside_a_calendar_is_skipped_and_names_it(stage: Stage) -> None:
    task = add(stage, "* * * * *", **closed_by(TWO_MINUTES))
    go(stage, 250)

    assert outcomes(stage, task) == {
        "12:01:00": "succeeded",
        "12:02:00Z~g1": "skipped(calendar)",
        "12:04:00": "succeeded",
        "12:05:00": "claimed",
        "12:06:00": "claimed",
    }
    (lunch,) = [run for run in runs(stage, task) if run.range_to]
    assert (lunch.range_to, lunch.range_count) == ("2026-11-18T12:03:00Z", 2)
    assert lunch.life.its_end.note == "lunch"


def test_a_long_blackout_is_one_row_and_is_jumped(stage: Stage) -> None:
    task = add(stage, "* * * * *", **closed_by(THE_DAY))
    go(stage, 130)

    (whole,) = runs(stage, task)
    assert (whole.life.status, whole.life.reason) == ("skipped", "calendar")
    assert (whole.key[:19], whole.range_to) == ("2026-11-18T12:01:00", "2026-11-18T23:59:00Z")
    assert whole.range_count == 719


def test_what_is_made_inside_a_blackout_claims_none_of_its_slots(stage: Stage) -> None:
    task = make_task("some", "*/10 * * * * *", stage.world, **FREE, **closed_by(THE_DAY))

    user.create(task)

    (whole,) = runs(stage, task)
    assert (whole.life.status, whole.life.reason) == ("skipped", "calendar")
    assert whole.range_count == 1_440


def test_a_blackout_lifted_while_it_lasts_lets_its_slots_fire(stage: Stage) -> None:
    task = add(stage, "* * * * *", **closed_by(THE_DAY))
    go(stage, 125)

    reclose(task)
    go(stage, 250)

    fired = {key: said for key, said in outcomes(stage, task).items() if said == "succeeded"}
    assert list(fired) == ["12:03:00", "12:04:00"]


def test_a_blackout_lifted_right_before_a_slot_lets_it_fire(stage: Stage) -> None:
    task = add(stage, "* * * * *", **closed_by(TWO_MINUTES))
    go(stage, 119)

    reclose(task)
    go(stage, 130)

    assert outcomes(stage, task)["12:02:00"] == "succeeded"


def test_of_late_slots_the_latest_open_one_is_caught_up_on(stage: Stage) -> None:
    task = add(stage, "* * * * *", misfire="latest", **closed_by(TWO_MINUTES))
    wait(stage, 179)
    go(stage, 390)

    said = outcomes(stage, task)
    assert said["12:01:00"] == "succeeded"
    assert said["12:02:00"] == said["12:03:00"] == "skipped(calendar)"
    assert said["12:04:00"] == said["12:05:00"] == "succeeded"


def test_a_blackout_that_begins_after_the_claim_skips_what_is_queued(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    go(stage, 65)
    assert outcomes(stage, task)["12:02:00"] == "claimed"

    reclose(task, TWO_MINUTES)
    go(stage, 250)

    assert outcomes(stage, task)["12:01:00"] == "succeeded"
    assert outcomes(stage, task)["12:02:00"] == "skipped(calendar)"
    assert outcomes(stage, task)["12:03:00"] == "skipped(calendar)"
    assert outcomes(stage, task)["12:04:00"] == "succeeded"


def test_what_was_never_dispatched_inside_a_calendar_is_no_miss(stage: Stage) -> None:
    task = add(stage, "* * * * *", **closed_by(TWO_MINUTES))
    wait(stage, 250)

    user.pause(task.task_id)

    assert outcomes(stage, task) == {
        "12:01:00": "missed(unaccounted)",
        "12:02:00": "skipped(calendar)",
        "12:03:00": "skipped(calendar)",
        "12:04:00": "missed(unaccounted)",
    }


def test_a_task_whose_calendar_cannot_be_read_is_set_aside_and_others_fire(stage: Stage) -> None:
    broken = add(stage, "* * * * *", name="broken", blackouts=({"name": "x", "dates": 7},))
    healthy = add(stage, "* * * * *", name="healthy")
    go(stage, 70)

    assert outcomes(stage, broken) == {}
    assert outcomes(stage, healthy)["12:01:00"] == "succeeded"
