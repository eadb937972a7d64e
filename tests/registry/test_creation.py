"""What a user's write does to slots that are queued, that passed, and that are still to come."""

from __future__ import annotations

from dataclasses import replace

import pytest

from onthedot.launch.trigger import trigger
from onthedot.records.runs.run_status import Reason
from onthedot.schedule.schedule import compile_schedule, pack
from onthedot.schedule.time.instants import parse_nominal
from onthedot.targets.attempt_outcome import Again, Done
from tests.simulation.calm import FREE, add, go, outcomes, part, runs, told, wait
from tests.simulation.stage import Stage, make_task
from tests.simulation.users import user


def compiled(text: str) -> bytes:
    return pack(compile_schedule(text))


def test_what_a_new_task_has_due_in_the_look_ahead_is_dispatched_before_the_answer(
    stage: Stage,
) -> None:
    wait(stage, 30)
    task = replace(make_task("new", "* * * * *", stage.world, **FREE), effective_from=0)

    user.create(task)
    wait(stage, 300)

    assert told(stage) == [(60, 1), (120, 1), (180, 1)]


def test_a_task_registered_twice_is_registered_once(stage: Stage) -> None:
    task = make_task("twice", "0 0 * * *", stage.world)

    assert user.create(task) == user.create(task)
    with pytest.raises(RuntimeError, match="could not be registered"):
        user.create(replace(task, payload={"other": 1}))


def test_a_task_registered_as_paused_fires_only_once_it_is_resumed(stage: Stage) -> None:
    task = make_task("paused", "* * * * *", stage.world, status="paused", **FREE)
    user.create(task)
    stage.tasks.append(task)
    go(stage, 90)
    assert told(stage) == []

    user.resume(task.task_id)
    go(stage, 200)

    assert told(stage) == [(120, 1), (180, 1)]
    assert outcomes(stage, task)["12:01:00"] == "skipped(paused)"


def test_a_pause_skips_what_is_queued_at_its_due_time_and_not_before(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    go(stage, 70)

    user.pause(task.task_id)
    assert outcomes(stage, task)["12:02:00"] == "claimed"
    go(stage, 400)

    assert told(stage) == [(60, 1)]
    assert outcomes(stage, task) == {
        "12:01:00": "succeeded",
        "12:02:00": "skipped(paused)",
        "12:03:00": "skipped(paused)",
    }


def test_a_run_that_has_started_keeps_its_retries_under_a_pause(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    stage.answer = lambda call: Again(Reason.FAILED, after_sec=30) if call.attempt == 1 else Done()
    go(stage, 70)

    user.pause(task.task_id)
    go(stage, 200)

    assert outcomes(stage, task)["12:01:00"] == "succeeded"
    assert told(stage) == [(60, 1), (90, 2)]


def test_a_pause_twice_is_one(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    first = user.pause(task.task_id)
    wait(stage, 30)

    second = user.pause(task.task_id)

    assert first == second
    assert first is not None
    assert first.version == 2


def test_a_resume_records_what_passed_and_fires_nothing_of_it(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    user.pause(task.task_id)
    go(stage, 250)
    assert outcomes(stage, task) == {}

    user.resume(task.task_id)
    go(stage, 320)

    assert told(stage) == [(300, 1)]
    assert list(outcomes(stage, task).items())[:4] == [
        (f"12:0{minute}:00", "skipped(paused)") for minute in (1, 2, 3, 4)
    ]


def test_more_than_a_hundred_slots_of_a_pause_are_one_row(stage: Stage) -> None:
    task = add(stage, "*/10 * * * * *")
    user.pause(task.task_id)
    wait(stage, 1_205)

    user.resume(task.task_id)

    ranges = [run for run in runs(stage, task) if run.range_to]
    assert [(run.range_to, run.range_count) for run in ranges] == [("2026-11-18T12:20:00Z", 120)]
    assert all(not run.final for run in runs(stage, task) if not run.range_to)


def test_a_delete_cancels_what_is_queued_and_fires_no_more(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    go(stage, 70)

    user.delete(task.task_id)
    go(stage, 400)

    assert told(stage) == [(60, 1)]
    assert outcomes(stage, task) == {
        "12:01:00": "succeeded",
        "12:02:00": "cancelled(task_deleted)",
        "12:03:00": "cancelled(task_deleted)",
    }
    assert "due_shard" not in part(stage, task, "cursor")


def test_a_delete_ends_the_retries(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    stage.answer = lambda _: Again(Reason.FAILED, after_sec=100)
    go(stage, 70)

    user.delete(task.task_id)
    go(stage, 400)

    assert outcomes(stage, task)["12:01:00"] == "cancelled(task_deleted)"


def test_nothing_revives_a_deleted_task(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    user.delete(task.task_id)

    assert user.resume(task.task_id) is None
    assert user.pause(task.task_id) is None
    assert user.patch(task.task_id, cron="*/2 * * * *") is None
    assert trigger(task.task_id) is None
    go(stage, 200)

    assert part(stage, task, "spec")["status"] == "deleted"
    assert told(stage) == []


def test_a_delete_twice_is_one(stage: Stage) -> None:
    task = add(stage, "* * * * *")

    assert user.delete(task.task_id) == user.delete(task.task_id)


def test_a_queued_slot_that_the_new_schedule_has_too_fires_once(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    go(stage, 70)

    user.patch(task.task_id, cron="*/2 * * * *")
    go(stage, 300)

    assert told(stage) == [(60, 1), (120, 1), (240, 1)]
    assert outcomes(stage, task)["12:03:00"] == "skipped(superseded)"


def test_a_new_schedule_fires_nothing_in_its_past(stage: Stage) -> None:
    task = add(stage, "0 0 * * *")
    go(stage, 65)

    user.patch(task.task_id, cron="*/30 * * * * *")
    go(stage, 130)

    assert told(stage)[:2] == [(90, 1), (120, 1)]
    assert next(iter(outcomes(stage, task))) == "12:01:30"


def test_an_edit_of_the_payload_holds_for_what_is_queued_and_leaves_the_cursor(
    stage: Stage,
) -> None:
    task = add(stage, "* * * * *")
    go(stage, 70)
    before = part(stage, task, "cursor")

    user.change(task.task_id, lambda seen, _: replace(seen, payload={"now": 1}))
    assert part(stage, task, "cursor") == before
    go(stage, 130)

    assert [delivery.payload for delivery in stage.deliveries] == [{}, {"now": 1}]


def test_an_edit_of_what_dispatch_plans_with_reaches_the_cursor(stage: Stage) -> None:
    task = add(stage, "* * * * *")

    user.change(task.task_id, lambda seen, _: replace(seen, misfire="none", priority=1))

    cursor = part(stage, task, "cursor")
    assert (cursor["misfire"], cursor["queue"], cursor["version"]) == ("none", "high", 2)


def test_max_runs_ends_a_task(stage: Stage) -> None:
    task = add(stage, "* * * * *", max_runs=2)
    go(stage, 310)

    assert told(stage) == [(60, 1), (120, 1)]
    assert "due_shard" not in part(stage, task, "cursor")


def test_another_max_runs_counts_what_has_been_claimed_already(stage: Stage) -> None:
    task = add(stage, "*/5 * * * *", max_runs=4)
    go(stage, 310)

    user.change(task.task_id, lambda seen, _: replace(seen, max_runs=2))
    go(stage, 1_300)

    assert told(stage) == [(300, 1), (600, 1)]


def test_a_task_that_had_used_up_its_runs_goes_on_with_more(stage: Stage) -> None:
    task = add(stage, "* * * * *", max_runs=2)
    go(stage, 310)

    user.change(task.task_id, lambda seen, _: replace(seen, max_runs=3))
    go(stage, 700)

    assert told(stage) == [(60, 1), (120, 1), (360, 1)]


def test_a_deleted_task_is_kept_as_long_as_its_history(stage: Stage) -> None:
    task = add(stage, "0 0 * * *")

    user.delete(task.task_id)

    kept = [part(stage, task, name)["expires_at"] for name in ("spec", "cursor")]
    assert kept == [parse_nominal("2026-11-18T12:00:00Z") + 90 * 86_400] * 2


def test_a_pause_does_not_give_a_task_with_max_runs_new_ones(stage: Stage) -> None:
    task = add(stage, "0 */5 * * * *", max_runs=2)
    go(stage, 310)

    user.pause(task.task_id)
    user.resume(task.task_id)
    go(stage, 1_300)

    assert told(stage) == [(300, 1), (600, 1)]


def test_an_edit_goes_on_after_a_trigger_with_a_payload_of_its_own(stage: Stage) -> None:
    task = add(stage, "0 0 * * *")
    trigger(task.task_id, payload={"own": 1})

    assert user.pause(task.task_id) is not None


@pytest.mark.parametrize("write", [user.pause, user.resume, user.delete])
def test_a_task_that_is_not_there_cannot_be_changed(stage: Stage, write: object) -> None:
    assert stage.tasks == []
    assert callable(write)
    assert write("sch_NONE") is None


def test_an_edit_counts_what_was_claimed_once_and_what_it_drops_not_at_all(stage: Stage) -> None:
    task = add(stage, "* * * * *", max_runs=4)
    # 12:01 and 12:02 are claimed ahead, and lie ahead of the edit as well.
    go(stage, 5)
    assert part(stage, task, "cursor")["runs_left"] == 2

    user.patch(task.task_id, cron="*/2 * * * *")
    go(stage, 700)

    assert outcomes(stage, task) == {
        "12:01:00": "skipped(superseded)",
        "12:02:00": "succeeded",
        "12:04:00": "succeeded",
        "12:06:00": "succeeded",
        "12:08:00": "succeeded",
    }


def test_an_edit_shortly_before_the_only_run_moves_it_and_does_not_use_it_up(
    stage: Stage,
) -> None:
    task = add(stage, "*/2 * * * *", max_runs=1)
    go(stage, 60)

    user.patch(task.task_id, cron="3-59/10 * * * *")
    go(stage, 700)

    assert outcomes(stage, task) == {"12:02:00": "skipped(superseded)", "12:03:00": "succeeded"}


def test_an_edit_that_drops_a_run_and_lifts_the_bound_has_nothing_to_give_back(
    stage: Stage,
) -> None:
    task = add(stage, "*/2 * * * *", max_runs=1)
    go(stage, 60)

    user.patch(task.task_id, cron="3-59/10 * * * *", max_runs=None)
    go(stage, 1000)

    assert "runs_left" not in part(stage, task, "cursor")
    assert outcomes(stage, task) == {
        "12:02:00": "skipped(superseded)",
        "12:03:00": "succeeded",
        "12:13:00": "succeeded",
    }


def test_slots_that_an_edit_puts_before_a_claimed_one_do_not_add_to_it(stage: Stage) -> None:
    task = add(stage, "*/2 * * * *", max_runs=1)
    go(stage, 5)

    user.patch(task.task_id, cron="* * * * *")
    go(stage, 400)

    assert outcomes(stage, task) == {"12:02:00": "succeeded"}


def test_a_slot_that_is_left_out_and_taken_up_again_stays_out_where_another_took_its_place(
    stage: Stage,
) -> None:
    task = add(stage, "*/2 * * * *", max_runs=2)
    go(stage, 5)

    for text in ("30 * * * * *", "*/2 * * * *"):
        user.patch(task.task_id, cron=text)
    go(stage, 700)

    assert outcomes(stage, task) == {
        "12:00:30": "skipped(superseded)",
        "12:01:30": "skipped(superseded)",
        "12:02:00": "skipped(superseded)",
        "12:04:00": "succeeded",
        "12:06:00": "succeeded",
    }
