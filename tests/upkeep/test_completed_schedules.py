"""A schedule that has nothing left to fire is completed once its runs are over, and not before."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace

import pytest

from onthedot.launch.replay import replay
from onthedot.launch.trigger import Moment, trigger
from onthedot.records.conditional_writes import Outcome
from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.tasks import exhausted_schedules
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import edit, lifecycle
from onthedot.registry.calendar_edits import _recompute
from onthedot.schedule.blackouts import blackout
from onthedot.schedule.time.instants import nominal
from onthedot.store import conditional_writer
from onthedot.targets.attempt_outcome import Again
from onthedot.upkeep import completed_schedules
from tests.simulation.calm import (
    FREE,
    NOON,
    add,
    go,
    left_behind,
    outcomes,
    part,
    partition,
    runs,
    spoil,
    told,
    wait,
)
from tests.simulation.stage import Stage, make_task
from tests.simulation.users import user

Edit = Callable[[Task, int], Task]


def status(stage: Stage, task: Task) -> str:
    return str(part(stage, task, "spec")["status"])


def used_up(stage: Stage, **given: object) -> Task:
    """One run, at a minute past noon; it is over, and noted so."""
    task = add(stage, "* * * * *", max_runs=1, **given)
    go(stage, 90)
    assert completed_schedules.note() == {"completed": 1}
    return task


def test_runs_that_are_used_up_complete_a_schedule_with_one_write(stage: Stage) -> None:
    task = used_up(stage)

    assert status(stage, task) == "completed"
    assert part(stage, task, "spec")["version"] == task.version
    assert partition(stage, "exhausted#") == []
    assert completed_schedules.note() == {"completed": 0}


def test_an_end_completes_it_and_a_year_that_is_over_does(stage: Stage) -> None:
    bounded = add(stage, "* * * * *", name="bounded", end_sec=130)
    yearly = add(stage, "0 1 12 18 11 ? 2026", name="yearly")
    once = add(stage, "at(2026-11-18T12:01:00)", name="once")
    go(stage, 200)

    assert completed_schedules.note() == {"completed": 3}

    assert {status(stage, task) for task in (bounded, yearly, once)} == {"completed"}
    assert told(stage) == [(60, 1), (60, 1), (60, 1), (120, 1)]


def test_a_one_off_task_and_an_ordinary_schedule_are_never_listed(stage: Stage) -> None:
    add(stage, "at(2026-11-18T12:01:00)", name="once", prefix="tsk")
    add(stage, "* * * * *")
    go(stage, 200)

    assert partition(stage, "exhausted#") == []


def test_a_range_that_ends_a_schedule_lists_it(stage: Stage) -> None:
    task = add(stage, "* * * * * *", end_sec=300, misfire="none", misfire_grace_sec=0)
    wait(stage, 1_000)
    go(stage, 1_030)

    assert {run.life.status for run in runs(stage, task)} == {"missed"}
    assert completed_schedules.note() == {"completed": 1}


def test_an_open_run_keeps_it_active_whatever_the_run_waits_for(stage: Stage) -> None:
    task = add(stage, "* * * * *", max_runs=1)
    stage.answer = lambda _call: Again(Reason.FAILED, after_sec=100)
    go(stage, 70)
    assert [run.life.status for run in runs(stage, task)] == ["retrying"]
    assert completed_schedules.note() == {"completed": 0}

    stage.answer = lambda _call: Again(Reason.FAILED, after_sec=1)
    go(stage, 600)

    assert [run.life.status for run in runs(stage, task)] == ["dead"]
    assert completed_schedules.note() == {"completed": 1}


def test_a_run_by_hand_that_is_to_come_keeps_it_active(stage: Stage) -> None:
    task = add(stage, "* * * * *", max_runs=1)
    trigger(task.task_id, moment=Moment(NOON * 1000, "later", (NOON + 300) * 1000))
    go(stage, 90)
    assert completed_schedules.note() == {"completed": 0}

    go(stage, 320)

    assert completed_schedules.note() == {"completed": 1}


def test_an_older_run_than_a_page_of_newer_ones_keeps_it_active(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(completed_schedules, "_PAGE", 2)
    task = add(stage, "*/10 * * * * *", max_runs=9)
    stage.takes_sec = lambda call: 200 if call.due_ms == (NOON + 10) * 1000 else 0.05
    go(stage, 95)
    assert [run.life.status for run in runs(stage, task)].count(Status.RUNNING) == 1

    assert completed_schedules.note() == {"completed": 0}


def test_what_is_older_than_any_attempt_lasts_is_not_looked_for(stage: Stage) -> None:
    task = add(stage, "* * * * *", max_runs=1)
    left_behind(stage, task, -60 * 24 * 60)
    go(stage, 90)

    assert completed_schedules.note() == {"completed": 1}


def test_triggers_and_replays_of_a_completed_one_run_and_leave_it_completed(stage: Stage) -> None:
    task = used_up(stage)

    trigger(task.task_id)
    replay(runs(stage, task)[0].run_id)
    go(stage, 200)

    assert [run.life.status for run in runs(stage, task)] == ["succeeded"] * 3
    assert status(stage, task) == "completed"


@pytest.mark.parametrize("more", [3, None])
def test_more_runs_make_it_active_again_from_now_on(stage: Stage, more: int | None) -> None:
    task = used_up(stage)
    wait(stage, 200)

    changed = user.change(task.task_id, lambda seen, _: replace(seen, max_runs=more))
    go(stage, 310)

    assert changed is not None
    assert changed.status == "active"
    assert told(stage) == [(60, 1), (240, 1), (300, 1)]


def test_a_later_end_makes_it_active_again_and_it_completes_once_more(stage: Stage) -> None:
    task = add(stage, "* * * * *", end_sec=70)
    go(stage, 130)
    assert completed_schedules.note() == {"completed": 1}

    user.patch(task.task_id, end_at=nominal(NOON + 250))
    assert status(stage, task) == "active"
    go(stage, 400)

    assert told(stage) == [(60, 1), (180, 1), (240, 1)]
    assert completed_schedules.note() == {"completed": 1}


@pytest.mark.parametrize(
    "edit",
    [
        lambda seen, _: replace(seen, payload={"other": 1}),
        lambda seen, _: replace(seen, max_runs=1),
        lambda seen, now: lifecycle.restarted(replace(seen, blackouts=()), now),
        lifecycle.resumed,
    ],
    ids=["payload", "as many runs", "calendar", "resume"],
)
def test_an_edit_that_gives_it_nothing_to_fire_leaves_it_completed(
    stage: Stage, edit: Edit
) -> None:
    task = used_up(stage)

    user.change(task.task_id, edit)
    go(stage, 300)

    assert status(stage, task) == "completed"
    assert told(stage) == [(60, 1)]
    assert "due_shard" not in part(stage, task, "cursor")


def test_an_edit_that_leaves_nothing_to_fire_completes_it(stage: Stage) -> None:
    task = add(stage, "*/5 * * * *")
    wait(stage, 100)

    user.patch(task.task_id, end_at=nominal(NOON + 60))
    assert status(stage, task) == "active"

    assert completed_schedules.note() == {"completed": 1}


def test_fewer_runs_than_it_has_had_complete_it_at_once(stage: Stage) -> None:
    task = add(stage, "*/10 * * * *", max_runs=5)
    go(stage, 650)
    user.change(task.task_id, lambda seen, _: replace(seen, max_runs=1))

    assert completed_schedules.note() == {"completed": 1}
    assert "due_shard" not in part(stage, task, "cursor")


def test_a_paused_schedule_stays_paused_and_completes_after_its_resume(stage: Stage) -> None:
    task = add(stage, "* * * * *", max_runs=1)
    go(stage, 90)
    user.pause(task.task_id)
    assert completed_schedules.note() == {"completed": 0}
    assert (status(stage, task), partition(stage, "exhausted#")) == ("paused", [])

    user.resume(task.task_id)

    assert completed_schedules.note() == {"completed": 1}


def test_a_completed_one_can_be_paused_resumed_and_deleted(stage: Stage) -> None:
    task = used_up(stage)

    user.pause(task.task_id)
    assert status(stage, task) == "paused"
    user.resume(task.task_id)
    assert completed_schedules.note() == {"completed": 1}
    user.delete(task.task_id)

    assert status(stage, task) == "deleted"


def test_one_that_is_registered_with_nothing_to_fire_is_completed_from_the_start(
    stage: Stage,
) -> None:
    wait(stage, 100)
    task = make_task("late", "* * * * *", stage.world, end_sec=50, **FREE)

    born = user.create(replace(task, effective_from=0))
    again = user.create(replace(task, effective_from=0))

    assert (born.status, again) == ("completed", born)


def test_a_place_that_an_edit_gives_back_makes_it_active_though_it_was_noted(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The edit stands still between its stamp and its count, until what it dropped has ended."""
    task = add(stage, "*/2 * * * *", max_runs=1)
    go(stage, 50)
    assert outcomes(stage, task) == {"12:02:00": "claimed"}
    count_again = edit._count_again  # noqa: SLF001  # it is slow here
    noted = []

    def slowly(wanted: Task, written: int, raised: int) -> None:
        wait(stage, 130)
        noted.append(completed_schedules.note())
        count_again(wanted, written, raised)

    monkeypatch.setattr(edit, "_count_again", slowly)
    user.patch(task.task_id, cron="*/5 * * * *")
    assert (noted, status(stage, task)) == ([{"completed": 1}], "active")
    go(stage, 400)

    assert outcomes(stage, task) == {"12:02:00": "skipped(superseded)", "12:05:00": "succeeded"}
    assert completed_schedules.note() == {"completed": 1}


def test_a_note_that_meets_an_edit_is_refused(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    task = add(stage, "* * * * *", max_runs=1)
    go(stage, 90)
    together = conditional_writer.write_together
    meets = [True]

    def meeting(parts: object) -> Outcome:
        if meets.pop() if meets else False:
            user.change(task.task_id, lambda seen, _: replace(seen, max_runs=2))
        return together(parts)  # type: ignore[arg-type]

    monkeypatch.setattr(conditional_writer, "write_together", meeting)
    assert completed_schedules.note() == {"completed": 0}

    assert status(stage, task) == "active"
    go(stage, 200)
    assert told(stage) == [(60, 1), (120, 1)]


def test_an_edit_that_meets_the_note_reads_again_and_revives_it(stage: Stage) -> None:
    task = add(stage, "* * * * *", max_runs=1)
    go(stage, 90)
    met = []

    def edit(seen: Task, _now: int) -> Task:
        met.append(seen.status)
        if len(met) == 1:
            assert completed_schedules.note() == {"completed": 1}
        return replace(seen, max_runs=2)

    user.change(task.task_id, edit)

    assert met == ["active", "completed"]
    assert status(stage, task) == "active"


def test_a_line_without_an_end_is_dropped_after_a_while_and_not_before(stage: Stage) -> None:
    task = add(stage, "*/30 * * * *")
    conditional_writer.write_one(exhausted_schedules.line(task.task_id, 1, NOON))

    completed_schedules.note()
    assert len(partition(stage, "exhausted#")) == 1
    wait(stage, 700)
    completed_schedules.note()

    assert partition(stage, "exhausted#") == []
    assert status(stage, task) == "active"


def test_a_line_of_long_ago_takes_no_fresh_one_with_it(stage: Stage) -> None:
    task = add(stage, "*/30 * * * *")
    conditional_writer.write_one(exhausted_schedules.line(task.task_id, 1, NOON))
    conditional_writer.write_one(exhausted_schedules.line(task.task_id, 2, NOON + 650))
    wait(stage, 700)

    completed_schedules.note()

    assert len(partition(stage, "exhausted#")) == 2


def test_what_a_former_release_left_behind_is_listed_once(stage: Stage) -> None:
    task = add(stage, "* * * * *", max_runs=1)
    add(stage, "* * * * *", name="ordinary")
    go(stage, 90)
    for item in partition(stage, "exhausted#"):
        completed_schedules._forget([item])  # noqa: SLF001  # as if there had been no list

    assert list(completed_schedules.list_those_before()) == [task.task_id]
    assert list(completed_schedules.list_those_before()) == []

    assert completed_schedules.note() == {"completed": 1}


def test_a_spec_that_nobody_can_read_holds_up_no_other(stage: Stage) -> None:
    broken = add(stage, "* * * * *", name="broken", max_runs=1)
    task = add(stage, "* * * * *", max_runs=1)
    go(stage, 90)
    spoil(stage, broken, "spec", retry="garbled")

    assert completed_schedules.note() == {"completed": 1}

    assert status(stage, task) == "completed"


def test_a_calendar_that_is_lifted_revives_nothing_that_has_used_up_its_runs(stage: Stage) -> None:
    lunch = blackout("lunch", cron="30 12 * * *")
    task = used_up(stage, blackouts=(lunch,))

    assert _recompute(task.task_id)

    assert status(stage, task) == "completed"
    assert part(stage, task, "spec").get("blackouts") is None


def test_a_bound_that_was_lowered_below_what_it_has_had_knows_so_when_it_is_raised(
    stage: Stage,
) -> None:
    task = add(stage, "* * * * *", max_runs=3)
    go(stage, 200)

    user.change(task.task_id, lambda seen, _: replace(seen, max_runs=1))
    user.change(task.task_id, lambda seen, _: replace(seen, max_runs=4))
    go(stage, 600)

    assert told(stage) == [(60, 1), (120, 1), (180, 1), (240, 1)]
