"""A one-off task from its registration to its end, over HTTP."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.kit import NOON, Api

TARGET = {"type": "python", "handler": "hello"}


def create(api: Api, **fields: Any) -> Any:
    made = api.call("POST /v1/tasks", {"target": TARGET} | fields)
    assert made.status == 201, made.text
    return made.body


@pytest.mark.parametrize(
    ("when", "run_at"),
    [
        ({}, "2026-11-18T12:00:00Z"),
        ({"delay_sec": 900}, "2026-11-18T12:15:01Z"),
        ({"run_at": "2026-11-19T08:00:00+01:00"}, "2026-11-19T07:00:00Z"),
        ({"run_at": "2026-11-18T11:30:00Z"}, "2026-11-18T11:30:00Z"),
    ],
)
def test_a_task_runs_when_it_was_asked_to(api: Api, when: dict[str, Any], run_at: str) -> None:
    api.now_ms = NOON * 1000 + 250

    made = create(api, **when)

    assert made["run_at"] == run_at
    assert api.call(f"GET /v1/tasks/{made['task_id']}").body["run_at"] == run_at


def test_what_is_to_run_now_is_claimed_and_sent_before_the_answer(api: Api) -> None:
    made = create(api)

    assert made["run"]["status"] == "claimed"
    assert made["run"]["origin"] == "task"
    assert len(api.sqs.queues[api.sqs.url("normal")].messages) == 1


def test_what_is_long_past_is_refused(api: Api) -> None:
    refused = api.call("POST /v1/tasks", {"target": TARGET, "run_at": "2026-11-18T10:00:00Z"})

    assert (refused.status, refused.body["code"]) == (422, "run_at_in_past")


def test_the_callers_own_key_makes_one_task(api: Api) -> None:
    first = create(api, idempotency_key="order-77", delay_sec=900)

    body = {"target": TARGET, "idempotency_key": "order-77", "delay_sec": 900}
    again = api.call("POST /v1/tasks", body)
    other = api.call("POST /v1/tasks", body | {"priority": 1})
    api.now_ms += 86_400_000
    anew = api.call("POST /v1/tasks", body)

    assert (again.status, again.body["task_id"]) == (200, first["task_id"])
    assert (other.status, other.body["code"]) == (422, "idempotency_key_reused")
    assert (anew.status, anew.body["task_id"] != first["task_id"]) == (201, True)


def test_a_batch_gives_each_its_own_result(api: Api) -> None:
    tasks = [
        {"target": TARGET, "delay_sec": 900},
        {"target": TARGET, "delay": 900},
        {"target": TARGET, "run_at": "2026-01-01T00:00:00Z"},
        {"target": TARGET},
    ]

    results = api.call("POST /v1/tasks/batch", {"tasks": tasks}).body["data"]

    assert [result["status"] for result in results] == [201, 400, 422, 201]
    assert results[1]["problem"]["errors"][0]["suggestion"] == "delay_sec"
    listed = api.call("GET /v1/tasks").body["data"]
    assert {each["task_id"] for each in listed} == {
        result["task"]["task_id"] for result in results if "task" in result
    }


def test_a_hundred_tasks_cost_few_trips(api: Api) -> None:
    tasks = [{"target": TARGET, "delay_sec": 900 + n} for n in range(100)]
    api.warm()

    made = api.call("POST /v1/tasks/batch", {"tasks": tasks})

    assert made.status == 200
    assert api.trips() <= 2 + 100 // 12


def test_a_task_that_has_not_started_is_cancelled_with_its_run(api: Api) -> None:
    task_id = create(api, delay_sec=60)["task_id"]

    cancelled = api.call(f"POST /v1/tasks/{task_id}/cancel")
    again = api.call(f"POST /v1/tasks/{task_id}/cancel")

    assert (cancelled.status, cancelled.body["status"]) == (200, "cancelled")
    run = cancelled.body["run"]
    assert (run["status"], run["reason"]) == ("cancelled", "task_cancelled")
    assert (again.status, again.body["status"]) == (200, "cancelled")


def test_a_task_is_moved_and_its_former_time_is_superseded(api: Api) -> None:
    made = create(api, delay_sec=60)

    moved = api.call(
        f"POST /v1/tasks/{made['task_id']}/reschedule", {"run_at": "2026-11-19T00:00:00Z"}
    )

    assert (moved.status, moved.body["run_at"]) == (200, "2026-11-19T00:00:00Z")
    assert (moved.body["version"], moved.body["run"]) == (2, None)


def test_tasks_are_listed_by_status_and_tag(api: Api) -> None:
    for number in range(3):
        api.now_ms += 1
        create(api, delay_sec=900, tags={"n": str(number)})
    newest = api.call("GET /v1/tasks").body["data"][0]["task_id"]
    api.call(f"POST /v1/tasks/{newest}/cancel")

    active = api.call("GET /v1/tasks?status=active").body["data"]
    tagged = api.call("GET /v1/tasks?tag=n:1").body["data"]

    assert [each["tags"]["n"] for each in active] == ["1", "0"]
    assert [each["tags"]["n"] for each in tagged] == ["1"]


def test_a_task_that_waits_for_a_worker_of_its_own_is_cancelled_like_any_other(api: Api) -> None:
    made = create(api, target={"type": "pull", "queue": "mine"})

    cancelled = api.call(f"POST /v1/tasks/{made['task_id']}/cancel").body

    assert (cancelled["status"], cancelled["run"]["status"]) == ("cancelled", "cancelled")
    api.wait(5)
    leased = api.call("POST /v1/leases", {"queue": "mine", "worker": "w"}, key=api.key("worker"))
    assert leased.body["data"] == []


def test_a_task_is_not_moved_to_now_by_saying_nothing(api: Api) -> None:
    task_id = create(api, delay_sec=3600)["task_id"]

    refused = api.call(f"POST /v1/tasks/{task_id}/reschedule", {})

    assert (refused.status, refused.body["errors"][0]["pointer"]) == (422, "/run_at")
