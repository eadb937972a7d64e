"""When a schedule is over, and when the system pauses one by itself."""

from __future__ import annotations

import time

import pytest

from tests.blackbox.receiver import Reply
from tests.blackbox.user import YEARLY, instant, seconds, until
from tests.blackbox.world import World

# The audit comes once a minute and may have to look twice.
AUDITED_SEC = 400


@pytest.mark.long
def test_a_schedule_whose_runs_are_used_up_is_completed_until_it_gets_more(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    where = "/v1/schedules/two"
    # One that is skipped because two overlap would be counted, and never called.
    every = {"cron": "*/2 * * * * *", "overlap": "allow"}
    user.schedule("two", **every, max_runs=2, target=hook.target)

    shown = until(
        lambda: user.get(where), lambda seen: seen["status"] == "completed", AUDITED_SEC, 2
    )
    listed = [each["name"] for each in user.walked("/v1/schedules?status=completed")]
    coming = user.get("/v1/upcoming")["data"]
    user.said(200, "PATCH", where, {"max_runs": 3}, If_Match="*")
    until(lambda: hook.calls, lambda calls: len(calls) == 3)

    assert (shown["next_run_at"], shown["runs_left"]) == (None, 0)
    assert listed == ["two"]
    assert coming == []


def test_runs_that_are_left_are_those_that_are_not_claimed(world: World) -> None:
    user = world.tenant()

    made = user.schedule("four", cron=YEARLY, max_runs=4)
    shown = user.get("/v1/schedules/four/next?count=20")["fires"]

    assert made["runs_left"] == 4
    assert len(shown) == 4
    assert "4" in made["explanation"]


def test_a_schedule_whose_end_is_over_is_completed_from_the_start(world: World) -> None:
    user = world.tenant()

    made = user.schedule("over", cron=YEARLY, end_at=instant(time.time() - 60))
    user.schedule("paused", cron=YEARLY, end_at=instant(time.time() - 60), status="paused")

    assert (made["status"], made["next_run_at"]) == ("completed", None)
    assert user.get("/v1/schedules/paused")["status"] == "paused"


def test_a_time_before_which_nothing_may_happen_is_rounded_up(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    due = int(time.time()) + 8

    task = user.task(run_at=f"{instant(due)[:-1]}.700Z", target=hook.target)
    user.ran(task["task_id"])

    assert seconds(task["run_at"]) == due + 1
    assert hook.calls[0].at >= due + 0.7


@pytest.mark.long
def test_a_schedule_that_dies_as_often_as_it_says_is_paused_by_the_system(world: World) -> None:
    user, hook = world.tenant(), world.hook(Reply(410, b"gone"))
    where = "/v1/schedules/dying"
    user.schedule(
        "dying", cron="*/2 * * * * *", target=hook.target, overlap="allow", pause_after_deaths=4
    )
    free = world.hook(Reply(410))
    user.schedule("never", cron="*/10 * * * * *", target=free.target, pause_after_deaths=None)

    shown = until(lambda: user.get(where), lambda seen: seen["status"] == "paused", AUDITED_SEC, 2)
    resumed = user.said(200, "POST", f"{where}/resume")

    assert shown["paused"]["by"] == "system"
    assert resumed["status"] == "active"
    assert user.get("/v1/schedules/never")["status"] == "active"
    failing = {each["name"] for each in user.walked("/v1/schedules?status=failing")}
    assert failing == {"dying", "never"}
    for name in ("dying", "never"):
        user.said(204, "DELETE", f"/v1/schedules/{name}")
