"""What holds on every route: keys, roles, versions, repetitions, limits, request ids."""

from __future__ import annotations

from functools import partial
from typing import Any

import pytest
from botocore.exceptions import ClientError

from onthedot.api import app
from onthedot.api.door.authentication import PER_MINUTE
from onthedot.records.access.api_key import tenant_key
from onthedot.records.access.idempotency import LOCKED_MS
from onthedot.registry import schedule_actions
from onthedot.store import table_reads
from tests.api.kit import SCHEDULE, Api

REPORT = SCHEDULE | {"name": "report"}


def test_every_answer_names_its_request(api: Api) -> None:
    answers = [
        api.call("GET /v1/health", key=""),
        api.call("GET /v1/schedules"),
        api.call("GET /v1/nowhere"),
    ]

    ids = [answer.headers["x-request-id"] for answer in answers]
    assert len(set(ids)) == 3
    assert all(each.startswith("req_") for each in ids)
    assert answers[2].body["request_id"] == ids[2]


def test_a_callers_own_request_id_is_taken_everywhere(
    api: Api, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    mine = "trace/7:a=b+" + "x" * 52

    made = api.call("POST /v1/schedules", REPORT, x_request_id=mine)
    refused = api.call("POST /v1/schedules", REPORT, X_Request_Id=mine)
    monkeypatch.setattr(schedule_actions, "edit", None)
    failed = api.call("POST /v1/schedules/report/pause", x_request_id="req-9")

    assert made.headers["x-request-id"] == mine
    assert (refused.status, refused.body["request_id"]) == (409, mine)
    assert api.call("GET /v1/audit").body["data"][0]["request_id"] == mine
    assert (failed.status, "request req-9 failed" in caplog.text) == (500, True)


@pytest.mark.parametrize("given", ["x" * 65, "a b", "", "caf\u00e9", "a\nb", "a\x00"])
def test_what_is_no_request_id_is_passed_over(api: Api, given: str) -> None:
    answer = api.call("GET /v1/schedules", x_request_id=given)

    assert answer.status == 200
    assert answer.headers["x-request-id"].startswith("req_")


def test_other_origins_are_told_nothing(api: Api) -> None:
    answer = api.call("GET /v1/health", key="", origin="https://elsewhere.example")

    assert not [name for name in answer.headers if name.startswith("access-control")]


@pytest.mark.parametrize("role", ["read", "worker"])
def test_a_role_does_what_it_may_and_nothing_else(api: Api, role: str) -> None:
    refused = api.call("POST /v1/schedules", REPORT, key=api.key(role))

    assert (refused.status, refused.body["code"]) == (403, "forbidden")
    assert api.call("GET /v1/schedules").body["data"] == []


def test_a_key_is_shown_once_and_opens_nothing_once_it_is_revoked(api: Api) -> None:
    made = api.call("POST /v1/keys", {"role": "read", "name": "dashboard"}).body
    key_id, text = made["key_id"], made["key"]
    assert api.call("GET /v1/schedules", key=text).status == 200
    listed = api.call("GET /v1/keys").body["data"]
    assert next(each for each in listed if each["key_id"] == key_id)["name"] == "dashboard"
    assert text not in api.call("GET /v1/keys").text

    assert api.call(f"DELETE /v1/keys/{key_id}").status == 204
    api.wait(60)

    assert api.call("GET /v1/schedules", key=text).status == 401
    assert api.call(f"GET /v1/keys/{key_id}").body["revoked_at"] == "2026-11-18T12:00:00.000Z"


def test_a_key_opens_nothing_after_its_end(api: Api) -> None:
    made = api.call("POST /v1/keys", {"role": "read", "expires_at": "2026-11-18T12:01:00Z"})
    assert api.call("GET /v1/schedules", key=made.body["key"]).status == 200

    api.wait(60)

    assert api.call("GET /v1/schedules", key=made.body["key"]).status == 401


def test_a_repeated_request_is_carried_out_once_and_answered_alike(api: Api) -> None:
    first = api.call("POST /v1/schedules", REPORT, idempotency_key='"a-1"')
    second = api.call("POST /v1/schedules", REPORT, idempotency_key="a-1")

    assert (first.status, second.status) == (201, 201)
    assert second.body == first.body
    assert second.headers["idempotent-replayed"] == "true"
    assert second.headers["location"] == first.headers["location"]
    assert len(api.call("GET /v1/schedules").body["data"]) == 1


def test_a_key_that_comes_with_another_request_is_refused(api: Api) -> None:
    api.call("POST /v1/schedules", REPORT, idempotency_key="a-1")

    other = api.call("POST /v1/schedules", REPORT | {"priority": 1}, idempotency_key="a-1")

    assert (other.status, other.body["code"]) == (422, "idempotency_key_reused")


def test_a_request_is_forgotten_after_a_day(api: Api) -> None:
    api.call("POST /v1/schedules", REPORT, idempotency_key="a-1")

    api.wait(86_400)

    again = api.call("POST /v1/schedules", REPORT | {"name": "other"}, idempotency_key="a-1")
    assert again.status == 201


def test_a_request_under_way_is_not_begun_again_until_it_must_be_over(api: Api) -> None:
    def repeat() -> int:
        return api.call("POST /v1/schedules", REPORT, idempotency_key="a-1").status

    with api.settings.context() as during:
        # The environment ends in the middle of it: nothing is tidied up.
        during.setattr(schedule_actions, "create", _interrupted)
        during.setattr("onthedot.store.access.access_table.abandon", lambda *_: None)
        with pytest.raises(KeyboardInterrupt):
            repeat()

    assert repeat() == 409
    api.wait(LOCKED_MS / 1000)
    assert repeat() == 201
    assert len(api.call("GET /v1/schedules").body["data"]) == 1


def test_a_request_that_died_after_its_write_is_answered_with_what_it_made(api: Api) -> None:
    made = schedule_actions.create

    def dies_after(*arguments: Any, **more: Any) -> None:
        made(*arguments, **more)
        raise KeyboardInterrupt

    with api.settings.context() as during:
        during.setattr(schedule_actions, "create", dies_after)
        with pytest.raises(KeyboardInterrupt):
            api.call("POST /v1/schedules", REPORT, idempotency_key="a-1")

    again = api.call("POST /v1/schedules", REPORT, idempotency_key="a-1")

    listed = api.call("GET /v1/schedules").body["data"]
    assert (again.status, again.body["task_id"]) == (201, listed[0]["task_id"])


def test_a_create_that_died_before_it_dispatched_does_so_when_it_is_repeated(api: Api) -> None:
    every_minute = {**REPORT, "cron": "* * * * *"}
    with api.settings.context() as during:
        during.setattr(schedule_actions, "_dispatch_near", _interrupted)
        with pytest.raises(KeyboardInterrupt):
            api.call("POST /v1/schedules", every_minute, idempotency_key="a-1")
    (made,) = api.call("GET /v1/schedules").body["data"]
    runs_of = partial(table_reads.rows, ("task_id", made["task_id"]), "scheduled_for", ("0", "~"))
    assert list(runs_of()) == []

    api.call("POST /v1/schedules", every_minute, idempotency_key="a-1")

    assert {run["life"]["status"] for run in runs_of()} == {"claimed"}


def test_a_fault_of_ours_is_not_remembered(api: Api) -> None:
    with api.settings.context() as during:
        during.setattr(schedule_actions, "create", _broken)
        failed = api.call("POST /v1/schedules", REPORT, idempotency_key="a-1")

    again = api.call("POST /v1/schedules", REPORT, idempotency_key="a-1")

    assert (failed.status, failed.body["code"]) == (500, "internal")
    assert again.status == 201


def test_a_trigger_that_comes_twice_is_one_run(api: Api) -> None:
    api.schedule()

    runs = {
        api.call("POST /v1/schedules/report/trigger", idempotency_key="t-1").body["run_id"]
        for _ in range(2)
    }

    assert len(runs) == 1


def test_what_is_left_of_the_minute_is_told_and_then_refused(api: Api) -> None:
    table_reads.put("access", tenant_key("acme") | {"requests_per_min": 3})
    key = api.key("read")

    left = [api.call("GET /v1/timezones", key=key).headers["ratelimit"] for _ in range(3)]
    refused = api.call("GET /v1/timezones", key=key)

    assert left == [f'"tenant";r={n};t=60' for n in (2, 1, 0)]
    assert refused.headers["ratelimit-policy"] == '"tenant";q=3;w=60'
    assert (refused.status, refused.headers["retry-after"]) == (429, "60")
    api.wait(60)
    assert api.call("GET /v1/timezones", key=key).status == 200


def test_a_tenants_requests_are_limited_even_if_nobody_says_how(api: Api) -> None:
    assert f"q={PER_MINUTE}" in api.call("GET /v1/timezones").headers["ratelimit-policy"]


def test_a_store_that_is_busy_says_when_to_come_back(api: Api) -> None:
    with api.settings.context() as during:
        during.setattr(app, "resolve", _throttled)
        busy = api.call("GET /v1/timezones")

    assert (busy.status, busy.body["code"]) == (503, "unavailable")
    assert busy.headers["retry-after"] == "1"


def _interrupted(*_: object, **__: object) -> None:
    raise KeyboardInterrupt


def _broken(*_: object, **__: object) -> None:
    raise ZeroDivisionError


def _throttled(*_: object) -> None:

    code = {"Error": {"Code": "ThrottlingException", "Message": "slow down"}}
    raise ClientError(code, "Query")
