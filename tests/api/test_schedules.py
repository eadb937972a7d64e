"""A schedule from its registration to its end, over HTTP."""

from __future__ import annotations

from tests.api.kit import SCHEDULE, Api


def test_a_schedule_that_was_registered_is_shown(api: Api) -> None:
    made = api.call("POST /v1/schedules", SCHEDULE | {"name": "report"})
    task_id = made.body["task_id"]

    shown = api.call(f"GET /v1/schedules/{task_id}")

    assert (made.status, shown.status) == (201, 200)
    assert made.headers["location"] == f"/v1/schedules/{task_id}"
    assert shown.body == made.body
    assert shown.body["next_run_at"] == "2026-11-19T09:00:00Z"
    assert shown.headers["etag"] == '"1"'


def test_a_list_shows_the_newest_first_and_goes_on_where_it_stopped(api: Api) -> None:
    for name in ("one", "two", "three"):
        api.now_ms += 1
        api.schedule(name)

    first = api.call("GET /v1/schedules?limit=2").body
    second = api.call(f"GET /v1/schedules?limit=2&cursor={first['next_cursor']}").body

    assert [each["name"] for each in first["data"] + second["data"]] == ["three", "two", "one"]
    assert second["next_cursor"] is None


def test_a_deleted_schedule_is_gone(api: Api) -> None:
    task_id = api.schedule()["task_id"]

    assert api.call(f"DELETE /v1/schedules/{task_id}").status == 204

    assert api.call(f"GET /v1/schedules/{task_id}").status == 404
    assert api.call("GET /v1/schedules").body["data"] == []


def test_a_run_by_hand_is_shown_with_its_own_payload(api: Api) -> None:
    task_id = api.schedule(payload={"region": "eu"})["task_id"]

    run = api.call(f"POST /v1/schedules/{task_id}/trigger", {"payload": {"region": "us"}})

    assert run.status == 202
    shown = api.call(f"GET /v1/runs/{run.body['run_id']}").body
    assert (shown["origin"], shown["status"]) == ("manual", "claimed")
    assert shown["payload"] == {"region": "us"}
    listed = api.call(f"GET /v1/schedules/{task_id}/runs").body["data"]
    assert [each["run_id"] for each in listed] == [run.body["run_id"]]


def test_what_is_due_within_the_look_ahead_is_claimed_before_the_answer(api: Api) -> None:
    made = api.schedule(cron="* * * * *")

    runs = api.call(f"GET /v1/schedules/{made['task_id']}/runs").body["data"]

    assert [each["scheduled_for"] for each in runs] == [
        "2026-11-18T12:02:00Z",
        "2026-11-18T12:01:00Z",
    ]
