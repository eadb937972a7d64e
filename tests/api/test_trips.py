"""What a request costs at the store, counted; and that a page costs the same wherever it stands."""

from __future__ import annotations

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


def test_a_schedule_is_changed_with_six_trips_and_paused_with_four(api: Api) -> None:
    """Found, read, written, stamped; what goes on is looked at again, and its last run shown."""
    task_id = api.schedule()["task_id"]
    api.warm()

    assert api.call(f"PATCH /v1/schedules/{task_id}", {"description": "new"}).status == 200
    assert api.trips() <= 6
    assert api.call(f"POST /v1/schedules/{task_id}/pause").status == 200
    assert api.trips() <= 4
