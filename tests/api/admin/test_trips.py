"""What a request costs at the store, counted; and that a page costs the same wherever it stands."""

from __future__ import annotations

import pytest

from tests.api import ran
from tests.api.kit import SCHEDULE, Api

TASK = {"target": {"type": "python", "handler": "hello"}}


def test_a_schedule_is_shown_with_two_trips(api: Api) -> None:
    task_id = api.schedule()["task_id"]
    api.warm()

    assert api.call(f"GET /v1/schedules/{task_id}").status == 200

    assert api.trips() <= 2


def test_a_schedule_by_its_name_costs_one_trip_more(api: Api) -> None:
    api.schedule("report")
    api.warm()

    assert api.call("GET /v1/schedules/report").status == 200

    assert api.trips() <= 3


def test_a_schedule_is_registered_with_three_trips(api: Api) -> None:
    api.warm()

    assert api.call("POST /v1/schedules", SCHEDULE | {"name": "report"}).status == 201

    assert api.trips() <= 3


def test_a_repetition_that_is_guarded_against_costs_two_more(api: Api) -> None:
    api.warm()

    api.call("POST /v1/schedules", SCHEDULE | {"name": "report"}, idempotency_key="a-1")

    assert api.trips() <= 5


def test_a_task_is_registered_with_three_trips(api: Api) -> None:
    api.warm()

    assert api.call("POST /v1/tasks", TASK | {"delay_sec": 900}).status == 201

    assert api.trips() <= 3


def test_fifty_schedules_are_listed_with_two_trips(api: Api) -> None:
    for number in range(51):
        api.schedule(f"report-{number}")
    api.warm()

    page = api.call("GET /v1/schedules?limit=50").body

    assert len(page["data"]) == 50
    assert page["next_cursor"] is not None
    assert api.trips() <= 2


@pytest.mark.deep
def test_the_last_page_costs_what_the_first_did(api: Api) -> None:
    for first in range(0, 1_000, 100):
        tasks = [TASK | {"delay_sec": 900 + first + n} for n in range(100)]
        api.call("POST /v1/tasks/batch", {"tasks": tasks})
    api.warm()

    cursor: str | None = ""
    seen, costs = set(), []
    while cursor is not None:
        page = api.call(f"GET /v1/tasks?limit=100{cursor and f'&cursor={cursor}'}").body
        costs.append(api.trips())
        seen |= {task["task_id"] for task in page["data"]}
        cursor = page["next_cursor"]

    assert len(seen) == 1_000
    assert set(costs[:10]) == {costs[0]}
    assert costs[0] <= 2


def test_a_schedule_is_changed_paused_and_resumed_with_three_trips_each(api: Api) -> None:
    """Read, written, stamped; its last run is among those that had to be stamped."""
    task_id = api.schedule(cron="1 12 * * *")["task_id"]
    api.now_ms += 61_000
    (run,) = api.call("GET /v1/schedules/report/runs").body["data"]
    ran.started(run["run_id"])
    ran.settled(run["run_id"], "succeeded")
    api.warm()
    path = f"/v1/schedules/{task_id}"

    for route, body in (
        (f"PATCH {path}", {"description": "new"}),
        (f"PATCH {path}", {"cron": "1 12 1-30 * *"}),
        (f"POST {path}/pause", {}),
        (f"POST {path}/resume", {}),
    ):
        answer = api.call(route, body)
        assert answer.status == 200
        assert api.trips() <= 3, route
        assert answer.body["last_run"]["run_id"] == run["run_id"]


def test_a_schedule_is_ended_with_four_trips_and_run_by_hand_with_four(api: Api) -> None:
    """Read, written, stamped, counted; read, listed, claimed, told."""
    task_id, other = api.schedule()["task_id"], api.schedule("other")["task_id"]
    api.warm()

    assert api.call(f"DELETE /v1/schedules/{task_id}").status == 204
    assert api.trips() <= 4
    assert api.call(f"POST /v1/schedules/{other}/trigger").status == 202
    assert api.trips() <= 4


def test_what_goes_on_within_the_look_ahead_is_claimed_before_the_answer(api: Api) -> None:
    api.schedule(cron="0 9 * * *")

    changed = api.call("PATCH /v1/schedules/report", {"every_sec": 60, "cron": None}).body

    claimed = api.call("GET /v1/schedules/report/runs?status=claimed").body["data"]
    assert changed["next_run_at"] in {run["scheduled_for"] for run in claimed}
