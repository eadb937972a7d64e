"""A request whose first try died half-way is carried out once, by its second."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from onthedot.dispatch import extra_runs
from onthedot.records.problems import Problem
from onthedot.registry import edit, oneoff_flow, schedule_actions
from onthedot.store import aws
from onthedot.upkeep import bulk_operations
from tests.api import ran
from tests.api.kit import SCHEDULE, Answer, Api

HOUR = {"from": "2026-11-18T10:00:00Z", "to": "2026-11-18T11:00:00Z"}


def dies_once(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """Loses the process where it would tell of what it has just done."""
    tell = schedule_actions.tell
    left = [1]

    def dying(by: Any, told: str, about: str) -> None:
        if told == what and left:
            left.pop()
            raise RuntimeError("lost")
        tell(by, told, about)

    monkeypatch.setattr(schedule_actions, "tell", dying)


def twice(api: Api, route: str, body: object) -> Answer:
    first = api.call(route, body, idempotency_key="once")
    second = api.call(route, body, idempotency_key="once")
    assert first.status == 500
    return second


def test_a_replay_makes_one_run(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    run_id = ran.dead(api)
    dies_once(monkeypatch, "run.replayed")

    answer = twice(api, f"POST /v1/runs/{run_id}/replay", {"payload": {"n": 1}})

    assert answer.status == 201
    (again,) = api.call("GET /v1/runs?origin=replay").body["data"]
    assert again["run_id"] == answer.body["run_id"]


def test_a_backfill_begins_once(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    api.schedule(cron="*/15 * * * *", overlap="allow")
    route = "POST /v1/schedules/report/backfills"
    token = api.call(route, HOUR).body["plan_token"]
    dies_once(monkeypatch, "backfill.started")

    answer = twice(api, f"{route}?plan_token={token}", HOUR)

    assert answer.status == 202
    assert bulk_operations.step()["backfilled"] == 5
    (found,) = api.call("GET /v1/schedules/report/backfills").body["data"]
    assert found["backfill_id"] == answer.body["backfill_id"]


def lost_once(monkeypatch: pytest.MonkeyPatch, module: Any, name: str) -> None:
    """Loses the process before it comes to one function, at the first try only."""
    there, left = getattr(module, name), [1]

    def dying(*given: Any, **named: Any) -> Any:
        if left:
            left.pop()
            raise RuntimeError("lost")
        return there(*given, **named)

    monkeypatch.setattr(module, name, dying)


def sent(api: Api) -> int:
    """Returns how many messages wait for workers."""
    return sum(len(queue.messages) for queue in api.sqs.queues.values())


@pytest.mark.parametrize(
    ("route", "more"),
    [("POST /v1/schedules", {"name": "report", "every_sec": 60}), ("POST /v1/tasks", {})],
)
def test_what_is_due_soon_is_dispatched_although_the_first_try_died_before(
    api: Api, monkeypatch: pytest.MonkeyPatch, route: str, more: dict[str, Any]
) -> None:
    lost_once(monkeypatch, schedule_actions, "dispatch_inline")

    made = twice(api, route, {"target": SCHEDULE["target"], **more})

    assert made.status == 201
    assert sent(api)


def test_a_task_of_the_callers_own_key_is_dispatched_by_the_second_request(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost_once(monkeypatch, schedule_actions, "dispatch_inline")
    body = {"target": SCHEDULE["target"], "idempotency_key": "order-1"}

    first, second = api.call("POST /v1/tasks", body), api.call("POST /v1/tasks", body)

    assert (first.status, second.status) == (500, 200)
    assert sent(api)


@pytest.mark.parametrize("place", ["catch_up", "resume"])
def test_what_passed_under_a_pause_is_run_although_the_first_try_died_before(
    api: Api, monkeypatch: pytest.MonkeyPatch, place: str
) -> None:
    api.schedule(cron="* * * * *", overlap="allow")
    api.call("POST /v1/schedules/report/pause")
    api.wait(180)
    route, body = "POST /v1/schedules/report/resume", {"catchup": "all"}
    plan = api.call(route, body).body
    module, name = {"catch_up": (schedule_actions, "catch_up"), "resume": (extra_runs, "send")}[
        place
    ]
    lost_once(monkeypatch, module, name)

    done = twice(api, f"{route}?plan_token={plan['plan_token']}", body)

    assert (done.status, done.body["status"]) == (200, "active")
    caught_up = api.call("GET /v1/schedules/report/runs?origin=catchup").body["data"]
    wanted = plan["effects"]["will_run"]
    assert len(wanted) == 3
    assert sorted(run["scheduled_for"] for run in caught_up) == wanted


def test_a_task_that_was_moved_and_has_run_since_is_answered_as_moved(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = api.call("POST /v1/tasks", {"target": SCHEDULE["target"], "delay_sec": 900}).body
    route = f"POST /v1/tasks/{made['task_id']}/reschedule"
    lost_once(monkeypatch, edit, "_stamp")

    def start(*_given: Any) -> None:
        raise Problem("already_started", "Its run has started.")

    first = api.call(route, {"delay_sec": 30}, idempotency_key="once")
    monkeypatch.setattr(oneoff_flow, "refuse_started", start)
    api.wait(60)
    second = api.call(route, {"delay_sec": 30}, idempotency_key="once")

    assert (first.status, second.status) == (500, 200)
    assert second.body["run_at"] == "2026-11-18T12:00:30Z"


def test_each_try_of_a_batch_means_the_same_times(
    api: Api, monkeypatch: pytest.MonkeyPatch
) -> None:
    lost_once(monkeypatch, schedule_actions, "dispatch_inline")
    body = {"tasks": [{"target": SCHEDULE["target"], "delay_sec": 60}]}

    first = api.call("POST /v1/tasks/batch", body, idempotency_key="once")
    api.wait(10)
    second = api.call("POST /v1/tasks/batch", body, idempotency_key="once")

    assert (first.status, second.status) == (500, 200)
    (made,) = api.call("GET /v1/tasks").body["data"]
    assert made["run_at"] == "2026-11-18T12:01:00Z"
    assert [each["task"]["run_at"] for each in second.body["data"]] == [made["run_at"]]


def test_a_purge_begins_once(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    ran.dead(api)
    route = "POST /v1/dead-letters/purge"
    token = api.call(route, {}).body["plan_token"]
    dies_once(monkeypatch, "dead_letters.purge")

    answer = twice(api, f"{route}?plan_token={token}", {})

    assert answer.status == 202
    assert bulk_operations.step()["purged"] == 1
    assert len(api.call("GET /v1/dead-letters/operations").body["data"]) == 1


def refuses(api: Api, operation: str, code: str) -> None:
    """Lets the store refuse one kind of call."""
    there = aws.dynamodb

    def busy(called: str, **request: Any) -> Any:
        if called == operation:
            raise ClientError({"Error": {"Code": code, "Message": ""}}, called)
        return there(called, **request)

    api.settings.setattr(aws, "dynamodb", busy)


@pytest.mark.parametrize(
    ("operation", "code"),
    [
        ("batch_execute_statement", "ThrottlingException"),
        ("transact_write_items", "TransactionInProgressException"),
        ("transact_write_items", "InternalFailure"),
    ],
)
def test_a_store_that_stays_busy_is_no_fault_and_the_second_try_does_it_once(
    api: Api, operation: str, code: str
) -> None:
    batch = operation == "batch_execute_statement"
    body: dict[str, Any] = {"target": SCHEDULE["target"], "delay_sec": 900}
    route = "POST /v1/tasks/batch" if batch else "POST /v1/tasks"
    body = {"tasks": [body]} if batch else body
    api.warm()
    began = api.now_ms

    with api.settings.context() as during:
        api.settings = during
        refuses(api, operation, code)
        first = api.call(route, body, idempotency_key="once")
    second = api.call(route, body, idempotency_key="once")

    assert (first.status, first.body["code"]) == (503, "unavailable")
    assert first.headers["retry-after"] == "1"
    assert api.now_ms - began < 29_000
    assert second.status == (200 if batch else 201)
    assert len(api.call("GET /v1/tasks").body["data"]) == 1
