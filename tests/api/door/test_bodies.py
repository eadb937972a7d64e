"""What no caller should send: a problem each, and nothing is written."""

from __future__ import annotations

import base64
import json
from typing import Any

import pytest

from tests.api.kit import SCHEDULE, Api

REPORT = SCHEDULE | {"name": "report"}


def written(**fields: Any) -> str:
    return json.dumps(REPORT | fields)


def to_http(**fields: Any) -> str:
    return written(target={"type": "http", "url": "https://a.example/"} | fields)


BAD = {
    "a megabyte": (written(description="x" * 1_000_000), 413),
    "many bytes in few letters": (written(payload="ä" * 160_000), 413),
    "a payload that fills its body": (written(payload="x" * 270_000), 413),
    "deep": (written()[:-1] + ',"payload":' + "[" * 100 + "]" * 100 + "}", 400),
    "deeper than any reader": (written()[:-1] + ',"payload":' + "[" * 100_000 + "}", 400),
    "not JSON": ("{", 400),
    "a list": ("[]", 400),
    "a text": ('"report"', 400),
    "twice the same": ('{"name":"a","name":"b"}', 400),
    "half a pair": (written(description="\ud800"), 400),
    "NaN": (written()[:-1] + ',"payload":NaN}', 400),
    "a huge whole number": (written()[:-1] + ',"payload":' + "9" * 5000 + "}", 400),
    "a huge float": (written()[:-1] + ',"payload":1e999}', 400),
    "a number beyond its field": (written(max_attempts=10**30), 422),
    "a text for a number": (written(max_attempts="3"), 422),
    "a truth for a number": (written(max_attempts=True), 422),
    "year 9999": (written(start_at="9999-12-31T23:59:59Z"), 422),
    "no offset": (written(start_at="2026-11-18T12:00:00"), 422),
    "an end before the beginning": (
        written(start_at="2027-01-01T00:00:00Z", end_at="2026-01-01T00:00:00Z"),
        422,
    ),
    "a name for an id": (written(name="sch_1"), 422),
    "cron and interval": (written(every_sec=60), 422),
    "neither": (written(cron=None), 422),
    "letters of another alphabet": (written(cron="\u0660 \u0669 * * *"), 422),
    "a step of nothing": (written(retry={"base_sec": 900, "cap_sec": 5}), 422),
    "a target of no type": (written(target={"handler": "hello"}), 422),
    "a target that lacks its handler": (written(target={"type": "python"}), 422),
    "a secret in the open": (to_http(headers={"X-Api-Key": "s"}), 422),
    "a password in an address": (to_http(url="https://me:secret@a.example/"), 422),
    "a length of its own": (to_http(headers={"Content-Length": "3"}), 422),
    "another's name for the run": (to_http(headers={"Webhook-Id": "run_1"}), 422),
    "an answer that is none yet": (to_http(expect_status=["1xx"]), 422),
    "a place inside": (to_http(url="http://169.254.169.254/"), 422),
    "longer than a worker may take": (written(timeout_sec=841), 422),
    "a field that nobody knows": (written(time_zone="UTC"), 400),
    "a field of a field that nobody knows": (written(retry={"base": 5}), 400),
}


@pytest.mark.parametrize("name", BAD)
def test_a_bad_body_is_a_problem_and_nothing_is_written(api: Api, name: str) -> None:
    text, status = BAD[name]

    refused = api.call("POST /v1/schedules", text)

    assert refused.status == status, refused.text
    assert refused.headers["content-type"] == "application/problem+json"
    assert refused.body["status"] == status
    assert "Put" not in str(api.calls)
    assert "Transact" not in str(api.calls)
    assert api.call("GET /v1/schedules").body["data"] == []


@pytest.mark.parametrize(
    "kind", ["text/plain", "application/x-www-form-urlencoded", "application/json; charset=latin1"]
)
def test_a_body_of_another_kind_is_not_read(api: Api, kind: str) -> None:
    refused = api.call("POST /v1/schedules", written(), content_type=kind)

    assert (refused.status, refused.body["code"]) == (415, "unsupported_media_type")


def test_a_body_that_is_not_utf_8_is_not_read(api: Api) -> None:
    text = base64.b64encode(b'{"name":"\xff"}').decode()
    headers = {"authorization": f"Bearer {api.key()}", "content-type": "application/json"}

    refused = api.send("POST /v1/schedules", text, headers, isBase64Encoded=True)

    assert (refused.status, refused.body["code"]) == (400, "invalid_request")


@pytest.mark.parametrize(
    "query",
    [
        "limit=-1",
        "limit=0",
        "limit=201",
        "limit=many",
        "limit=1&limit=2",
        "cursor=forged",
        "cursor=" + "A" * 3_000,
        "status=sleeping",
        "stauts=active",
        "q=",
    ],
)
def test_a_bad_parameter_is_a_problem(api: Api, query: str) -> None:
    refused = api.call(f"GET /v1/schedules?{query}")

    assert refused.status == 400, refused.text


@pytest.mark.parametrize("thing", ["schedules", "tasks", "runs", "calendars", "keys"])
@pytest.mark.parametrize(
    "name", ["x" * 3_000, "sch_" + "9" * 240, "tsk_1.2026", "%00", "~", "\u00e4" * 250]
)
def test_an_id_that_cannot_be_is_not_found(api: Api, thing: str, name: str) -> None:
    assert api.call(f"GET /v1/{thing}/{name}").status == 404


def test_a_cursor_is_good_for_its_own_list_only(api: Api) -> None:
    for name in ("one", "two"):
        api.schedule(name)
    cursor = api.call("GET /v1/schedules?limit=1").body["next_cursor"]

    for other in (f"GET /v1/schedules?q=o&cursor={cursor}", f"GET /v1/tasks?cursor={cursor}"):
        assert api.call(other).body["code"] == "cursor_mismatch"
    strangers = api.call(f"GET /v1/schedules?cursor={cursor}", key=api.key("read", "other"))
    assert strangers.body["code"] == "cursor_mismatch"


def test_a_mistyped_field_is_answered_with_the_one_that_was_meant(api: Api) -> None:
    refused = api.call("POST /v1/schedules", REPORT | {"time_zone": "UTC"})

    assert refused.body["code"] == "unknown_field"
    (error,) = refused.body["errors"]
    assert (error["pointer"], error["suggestion"]) == ("/time_zone", "timezone")


def test_all_that_is_wrong_is_said_at_once(api: Api) -> None:
    refused = api.call(
        "POST /v1/schedules",
        REPORT | {"start_at": "soon", "timezone": "EST"},
    )

    assert refused.body["detail"] == "2 fields need attention."
    assert [error["pointer"] for error in refused.body["errors"]] == ["/start_at", "/timezone"]
