"""Backfills over HTTP: first the plan, then the runs, then how far they are."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.upkeep import bulk_operations
from tests.api import ran
from tests.api.kit import Answer, Api

HOUR = {"from": "2026-11-18T10:00:00Z", "to": "2026-11-18T11:00:00Z"}
ROUTE = "POST /v1/schedules/report/backfills"


def begun(api: Api, body: dict[str, Any]) -> Answer:
    plan = api.call(ROUTE, body)
    assert plan.status == 200, plan.text
    return api.call(f"{ROUTE}?plan_token={plan.body['plan_token']}", body)


def test_a_plan_names_what_would_be_run_and_changes_nothing(api: Api) -> None:
    api.schedule(cron="*/15 * * * *")

    plan = api.call(ROUTE, HOUR | {"rate_per_min": 2})

    effects = plan.body["effects"]
    assert (effects["runs"], effects["minutes_at_least"], effects["one_by_one"]) == (5, 3, True)
    assert (effects["first_slot"], effects["last_slot"]) == (HOUR["from"], HOUR["to"])
    assert bulk_operations.step() == {}


def test_it_is_carried_out_minute_by_minute_and_says_how_far_it_is(api: Api) -> None:
    task = api.schedule(cron="*/15 * * * *", overlap="allow")

    answer = begun(api, HOUR | {"rate_per_min": 3})
    where = answer.headers["location"]
    assert (answer.status, answer.body["status"]) == (202, "running")
    assert bulk_operations.step()["backfilled"] == 3
    halfway = api.call(f"GET {where}").body
    api.now_ms += 60_000
    bulk_operations.step()

    assert (halfway["launched"], halfway["next_slot"]) == (3, "2026-11-18T10:45:00Z")
    over = api.call(f"GET {where}").body
    assert (over["status"], over["launched"], over["next_slot"]) == ("done", 5, None)
    assert over["ended_at"] == "2026-11-18T12:01:00.000Z"
    runs = api.call(f"GET /v1/runs?task_id={task['task_id']}&origin=backfill").body["data"]
    assert len(runs) == 5
    run = api.call(f"GET /v1/runs/{runs[0]['run_id']}").body
    assert (run["backfill_id"], run["scheduled_for"]) == (over["backfill_id"], HOUR["to"])
    assert [each["backfill_id"] for each in listed(api)] == [over["backfill_id"]]


def listed(api: Api, schedule: str = "report") -> list[dict[str, Any]]:
    return list(api.call(f"GET /v1/schedules/{schedule}/backfills").body["data"])


def test_it_is_stopped(api: Api) -> None:
    api.schedule(cron="*/15 * * * *", overlap="allow")
    where = begun(api, HOUR | {"rate_per_min": 1}).headers["location"]
    bulk_operations.step()

    stopped = api.call(f"POST {where}/cancel")
    api.now_ms += 60_000

    assert (stopped.status, stopped.body["status"]) == (200, "cancelled")
    assert bulk_operations.step() == {}
    again = api.call(f"POST {where}/cancel")
    assert (again.status, again.body["status"]) == (200, "cancelled")


def test_a_paused_schedule_is_backfilled_all_the_same(api: Api) -> None:
    api.schedule(cron="*/15 * * * *", overlap="allow", status="paused")

    begun(api, HOUR)

    assert bulk_operations.step()["backfilled"] == 5


def test_a_slot_that_was_filled_meanwhile_makes_the_plan_stale(api: Api) -> None:
    api.schedule(cron="*/15 * * * *", overlap="allow")
    token = api.call(ROUTE, HOUR).body["plan_token"]
    begun(api, {"from": HOUR["from"], "to": HOUR["from"]})
    bulk_operations.step()

    stale = api.call(f"{ROUTE}?plan_token={token}", HOUR)

    assert (stale.status, stale.body["code"]) == (409, "plan_stale")


@pytest.mark.parametrize(
    "body",
    [
        {"from": HOUR["to"], "to": HOUR["from"]},
        {"from": HOUR["from"], "to": "2026-11-18T13:00:00Z"},
        {"from": "2001-01-01T00:00:00Z", "to": HOUR["to"]},
        {"from": "2026-11-18T10:00:00", "to": HOUR["to"]},
        {"from": HOUR["from"]},
        HOUR | {"rate_per_min": 0},
    ],
)
def test_a_time_that_cannot_be_meant_is_refused(api: Api, body: dict[str, Any]) -> None:
    api.schedule(cron="*/15 * * * *")

    answer = api.call(ROUTE, body)

    assert answer.status in (400, 422)
    assert answer.body["errors"]


def test_another_schedules_backfill_and_another_tenants_are_not_there(api: Api) -> None:
    api.schedule(cron="*/15 * * * *")
    api.schedule("other", cron="*/15 * * * *")
    backfill_id = begun(api, HOUR).body["backfill_id"]

    for path in (f"report/backfills/{backfill_id}", "report/backfills"):
        answer = api.call(f"GET /v1/schedules/{path}", key=api.key("admin", "stranger"))
        assert answer.status == 404
    assert api.call(f"GET /v1/schedules/other/backfills/{backfill_id}").status == 404
    assert listed(api, "other") == []


def test_one_follows_the_other_where_runs_may_not_overlap(api: Api) -> None:
    api.schedule(cron="*/15 * * * *", overlap="skip")
    begun(api, HOUR)

    assert bulk_operations.step()["backfilled"] == 1
    api.now_ms += 60_000
    assert bulk_operations.step()["backfilled"] == 0
    (run,) = api.call("GET /v1/runs?origin=backfill").body["data"]
    ran.started(run["run_id"])
    ran.settled(run["run_id"], "succeeded")
    assert bulk_operations.step()["backfilled"] == 1
