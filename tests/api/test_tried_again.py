"""A request whose first try died half-way is carried out once, by its second."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ClientError

from onthedot.adapters import aws
from onthedot.flows import define, loops
from tests.api import ran
from tests.api.kit import SCHEDULE, Answer, Api

HOUR = {"from": "2026-11-18T10:00:00Z", "to": "2026-11-18T11:00:00Z"}


def dies_once(monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    """The process is lost where it would tell of what it has just done."""
    tell = define.tell
    left = [1]

    def dying(by: Any, told: str, about: str) -> None:
        if told == what and left:
            left.pop()
            raise RuntimeError("lost")
        tell(by, told, about)

    monkeypatch.setattr(define, "tell", dying)


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
    assert loops.step()["backfilled"] == 5
    (found,) = api.call("GET /v1/schedules/report/backfills").body["data"]
    assert found["backfill_id"] == answer.body["backfill_id"]


def test_a_purge_begins_once(api: Api, monkeypatch: pytest.MonkeyPatch) -> None:
    ran.dead(api)
    route = "POST /v1/dead-letters/purge"
    token = api.call(route, {}).body["plan_token"]
    dies_once(monkeypatch, "dead_letters.purge")

    answer = twice(api, f"{route}?plan_token={token}", {})

    assert answer.status == 202
    assert loops.step()["purged"] == 1
    assert len(api.call("GET /v1/dead-letters/operations").body["data"]) == 1


def refuses(api: Api, operation: str, code: str) -> None:
    """The store is up, and refuses one kind of call."""
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
