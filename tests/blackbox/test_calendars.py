"""Calendars black slots out, backfills run slots of the past again, screens show what comes."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta

import pytest

from tests.blackbox.user import YEARLY, instant, pause_for, seconds, until
from tests.blackbox.world import World


def day(offset: int = 0) -> str:
    return (datetime.now(UTC) + timedelta(days=offset)).date().isoformat()


def test_slots_inside_a_calendar_are_skipped_and_fire_once_it_is_lifted(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    dates = {"dates": [day(), day(1)]}
    user.said(201, "POST", "/v1/calendars", {"calendar_id": "freeze", **dates})
    begun = time.time()
    user.schedule("threes", cron="*/3 * * * * *", target=hook.target, calendars=["freeze"])
    claimed = user.runs("threes", "&status=claimed")
    pause_for(9)
    called = len(hook.calls)
    where = f"/v1/schedules/threes/slots?from={instant(begun)}&to={instant(time.time())}"

    def outcomes() -> set[tuple[str, str | None]]:
        return {(slot["status"], slot["reason"]) for slot in user.walked(where)}

    until(outcomes, lambda seen: seen == {("skipped", "calendar")})

    user.said(200, "PUT", "/v1/calendars/freeze", {"dates": [day(40)]}, If_Match="*")
    until(lambda: hook.calls, bool)

    assert (claimed, called) == ([], 0)
    user.said(204, "DELETE", "/v1/schedules/threes")


def test_a_preview_heeds_a_calendar_and_names_go_no_further_than_the_tenant(
    world: World,
) -> None:
    user, other = world.tenant(), world.tenant()
    user.said(201, "POST", "/v1/calendars", {"calendar_id": "xmas", "dates": ["2027-12-25"]})
    asked = {"cron": "0 9 * * *", "calendars": ["xmas"], "from": "2027-12-24T12:00:00Z"}

    shown = user.said(200, "POST", "/v1/cron/preview", asked)
    foreign = other.ask("POST", "/v1/cron/preview", asked)

    assert shown["fires"][0]["at"] == "2027-12-26T09:00:00Z"
    assert foreign.status in {400, 404, 422}


def test_a_calendar_that_schedules_name_cannot_be_deleted(world: World) -> None:
    user = world.tenant()
    user.said(201, "POST", "/v1/calendars", {"calendar_id": "used", "dates": ["2027-12-25"]})
    user.schedule("uses", cron=YEARLY, calendars=["used"])

    refused = user.ask("DELETE", "/v1/calendars/used")
    user.said(204, "DELETE", "/v1/schedules/uses")
    user.said(204, "DELETE", "/v1/calendars/used")

    assert refused.refusal == (409, "calendar_in_use")
    assert "uses" in refused.json["detail"]


@pytest.mark.long
def test_a_backfill_runs_slots_of_the_past_one_after_the_other(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    user.schedule("minutes", cron="* * * * *", target=hook.target, status="paused")
    last = int(time.time()) // 60 * 60 - 600
    slots = {last - 60 * each for each in range(5)}
    body = {"from": instant(min(slots)), "to": instant(max(slots))}

    plan = user.said(200, "POST", "/v1/schedules/minutes/backfills", body)
    path = f"/v1/schedules/minutes/backfills?plan_token={plan['plan_token']}"
    begun = user.said(202, "POST", path, body)
    where = f"/v1/schedules/minutes/backfills/{begun['backfill_id']}"
    done = until(lambda: user.get(where), lambda seen: seen["status"] == "done", 200)
    until(lambda: hook.calls, lambda calls: len(calls) >= 5, 90)

    assert plan["effects"]["runs"] == 5
    assert done["launched"] == 5
    came = [seconds(call.headers["onthedot-scheduled-for"]) for call in hook.calls]
    assert came == sorted(slots)
    runs = user.runs("minutes", "&origin=backfill")
    assert {run["status"] for run in runs} <= {"succeeded", "running"}
    assert {seconds(run["scheduled_for"]) for run in runs} == slots


def test_a_backfill_of_the_future_is_refused(world: World) -> None:
    user = world.tenant()
    user.schedule("minutes", cron="* * * * *", status="paused")
    body = {"from": instant(time.time()), "to": instant(time.time() + 3_600)}

    answer = user.ask("POST", "/v1/schedules/minutes/backfills", body)

    assert answer.refusal == (422, "invalid_field")


def test_what_comes_is_shown_in_its_order_and_counted(world: World) -> None:
    user = world.tenant()
    user.schedule("hourly", cron="0 * * * *")
    user.schedule("half", cron="30 * * * *")
    user.schedule("silent", cron="15 * * * *", status="paused")

    coming = user.get("/v1/upcoming?limit=200")
    heat = user.get("/v1/upcoming/heat?bucket_sec=3600")

    assert {each["name"] for each in coming["data"]} == {"hourly", "half"}
    at = [each["at"] for each in coming["data"]]
    assert at == sorted(at)
    assert 47 <= len(at) <= 49
    assert coming["complete"] is True
    assert heat["total"] == sum(heat["counts"])
    assert 46 <= heat["total"] <= 50
    assert heat["hottest"]["count"] == max(heat["counts"]) == 2


@pytest.mark.long
def test_the_overview_counts_what_ran_in_the_minute_that_it_was_due(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    due = int(time.time()) + 20
    for _ in range(3):
        user.task(target=hook.target, run_at=instant(due))

    seen = until(
        lambda: user.get("/v1/overview"), lambda it: it["last_hour"]["succeeded"] >= 3, 240, 3
    )

    assert seen["last_hour"]["succeeded"] == 3
    curve = {each["at"]: each["succeeded"] for each in seen["minutes"] if each["succeeded"]}
    assert curve == {instant(due // 60 * 60): 3}
    assert (seen["last_hour"]["dead"], seen["last_hour"]["missed"]) == (0, 0)
    assert seen["attention"] == {"dead": [], "missed": [], "retrying": [], "long": []}
    assert seen["tasks"]["used"] == 3
    tag = user.ask("GET", "/v1/overview").headers["etag"]
    assert user.ask("GET", "/v1/overview", If_None_Match=tag).status == 304
