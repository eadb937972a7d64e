"""What a tenant may call: set by the operator, refused to all others at the door."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.records.runs.tenant_permits import limit_key
from onthedot.registry.api_keys import FIRST_TENANT
from onthedot.store import table_reads
from tests.api import ran
from tests.api.kit import SCHEDULE, Answer, Api

MINUTE_MS = 60_000
HTTP = {"type": "http", "url": "https://example.com/hook"}
SECRET = {"secret_ref": "arn:aws:secretsmanager:eu-west-1:1:secret:beta/api"}
QUEUE = {"type": "sqs", "queue_url": "https://sqs.eu-west-1.amazonaws.com/1/acme-mail"}
FOREIGN: dict[str, dict[str, Any]] = {
    "python": {"type": "python", "handler": "hello"},
    "auth": HTTP | {"auth": SECRET},
    "sign": HTTP | {"sign": SECRET},
    "sqs": QUEUE,
    "sns": {"type": "sns", "topic_arn": "arn:aws:sns:eu-west-1:1:t"},
    "lambda": {"type": "lambda", "function_arn": "arn:aws:lambda:eu-west-1:1:function:f"},
    "eventbridge": {"type": "eventbridge", "bus": "default"},
    "stepfunctions": {
        "type": "stepfunctions",
        "state_machine_arn": "arn:aws:states:eu-west-1:1:stateMachine:m",
    },
}


def operator(api: Api) -> str:
    return api.key("admin", FIRST_TENANT)


def allow(api: Api, *patterns: str, tenant: str = "acme") -> Answer:
    route = f"PUT /v1/tenants/{tenant}"
    return api.call(route, {"targets": list(patterns)}, key=operator(api))


def refused(answer: Answer) -> bool:
    return (answer.status, answer.body["code"]) == (422, "target_forbidden")


@pytest.mark.parametrize("kind", FOREIGN)
def test_what_is_not_named_for_a_tenant_cannot_be_registered(api: Api, kind: str) -> None:
    allow(api, "arn:aws:sqs:*:*:other-*")
    new = {"name": "new", "cron": "0 9 * * *", "target": FOREIGN[kind]}

    answers = [
        api.call("POST /v1/schedules", new),
        api.call("POST /v1/schedules?dry_run=true", new),
        api.call("PUT /v1/schedules/new", {"cron": "0 9 * * *", "target": FOREIGN[kind]}),
        api.call("POST /v1/tasks", {"target": FOREIGN[kind]}),
    ]
    (one,) = api.call("POST /v1/tasks/batch", {"tasks": [{"target": FOREIGN[kind]}]}).body["data"]

    assert all(map(refused, answers))
    assert (one["status"], one["problem"]["code"]) == (422, "target_forbidden")
    told = answers[0].body
    assert told["errors"][0]["pointer"] == "/target"
    assert "The tenant 'acme' may not use" in told["detail"]
    assert "PUT /v1/tenants/acme" in told["detail"]


def test_http_pull_and_what_a_pattern_covers_is_registered(api: Api) -> None:
    allow(api, "arn:aws:sqs:*:*:acme-*", "python:h*", "arn:aws:secretsmanager:*:*:secret:beta/*")

    for place, target in enumerate(
        [HTTP, {"type": "pull", "queue": "emails"}, QUEUE, FOREIGN["python"], FOREIGN["sign"]]
    ):
        api.schedule(f"s{place}", target=target)


def test_an_edit_is_held_to_it_as_well(api: Api) -> None:
    allow(api, "python:hello")
    api.schedule("report")
    to_other = api.call("PATCH /v1/schedules/report", {"target": {"handler": "other"}})
    allow(api, "python:other")
    api.now_ms += MINUTE_MS

    kept = api.call("PATCH /v1/schedules/report", {"description": "new"})
    mended = api.call("PATCH /v1/schedules/report", {"target": {"handler": "other"}})

    assert refused(to_other)
    assert refused(kept)
    assert mended.status == 200


def test_a_run_by_hand_a_replay_and_a_backfill_are_refused_once_it_is_forbidden(api: Api) -> None:
    allow(api, "python:hello")
    run_id = ran.triggered(api)
    ran.started(run_id)
    ran.settled(run_id, "succeeded")
    allow(api)
    # What was read of it is kept for so long; the workers know it at once.
    api.now_ms += MINUTE_MS
    between = {"from": "2026-11-17T00:00:00Z", "to": "2026-11-18T00:00:00Z"}

    for route, body in (
        ("POST /v1/schedules/report/trigger", {}),
        ("POST /v1/schedules/report/backfills", between),
        (f"POST /v1/runs/{run_id}/replay", {}),
    ):
        assert refused(api.call(route, body)), route
    assert api.call("POST /v1/schedules/report/pause").status == 200


def test_what_an_operator_has_just_allowed_is_not_refused_for_a_minute(api: Api) -> None:
    allow(api, "python:other")
    assert refused(api.call("POST /v1/schedules", SCHEDULE | {"name": "report"}))

    allow(api, "python:hello")

    api.schedule("report")


def test_they_are_set_and_shown_with_the_other_limits_and_on_the_trail(api: Api) -> None:
    made = allow(api, "python:a", "python:a", "python:b").body
    api.now_ms += 1
    api.call("PUT /v1/tenants/acme", {"running_max": 3}, key=operator(api))
    api.now_ms += 1
    changed = allow(api, "python:c").body

    assert made["targets"] == ["python:a", "python:b"]
    assert (changed["targets"], changed["running_max"]) == (["python:c"], 3)
    assert api.call("GET /v1/tenants/acme").body == changed
    newest, _, first = api.call("GET /v1/audit?limit=3", key=operator(api)).body["data"]
    assert newest["before"] == {"targets": ["python:a", "python:b"]}
    assert newest["after"] == {"targets": ["python:c"]}
    assert first["after"]["targets"] == ["python:a", "python:b"]


def test_a_plan_shows_them_and_writes_nothing(api: Api) -> None:
    allow(api, "python:a")
    body, route = {"targets": ["python:b"]}, "PUT /v1/tenants/acme"

    plan = api.call(f"{route}?dry_run=true", body, key=operator(api)).body

    assert plan["effects"]["before"]["targets"] == ["python:a"]
    assert plan["effects"]["after"]["targets"] == ["python:b"]
    assert api.call("GET /v1/tenants/acme").body["targets"] == ["python:a"]
    allow(api, "python:c")
    late = api.call(f"{route}?plan_token={plan['plan_token']}", body, key=operator(api))
    assert (late.status, late.body["code"]) == (409, "plan_stale")


@pytest.mark.parametrize(
    ("given", "pointer"),
    [
        (["python:a", "s3"], "/targets/1"),
        (["*"], "/targets/0"),
        (["arn:aws:s3:::bucket"], "/targets/0"),
        (["python:a b"], "/targets/0"),
        ([f"python:{n:0199}" for n in range(20)], "/targets"),
        ([f"python:{n}" for n in range(101)], "/targets"),
        ("python:a", "/targets"),
    ],
)
def test_what_is_no_list_of_patterns_is_refused(api: Api, given: object, pointer: str) -> None:
    answer = api.call("PUT /v1/tenants/acme", {"targets": given}, key=operator(api))

    assert (answer.status, answer.body["errors"][0]["pointer"]) == (422, pointer)
    assert api.call("GET /v1/tenants/acme").body["targets"] is None


def test_the_first_tenant_may_call_what_the_setting_names(api: Api) -> None:
    answer = allow(api, "python:a", tenant=FIRST_TENANT)
    made = api.call("POST /v1/schedules", SCHEDULE | {"name": "first"}, key=operator(api))

    assert (answer.status, answer.body["errors"][0]["pointer"]) == (422, "/targets")
    assert "the setting targets" in answer.body["detail"]
    assert made.status == 201
    shown = api.call(f"GET /v1/tenants/{FIRST_TENANT}", key=operator(api)).body
    assert shown["targets"] is None


@pytest.mark.parametrize("how", ["PUT /v1/tenants/beta", "POST /v1/tenants/beta/keys"])
def test_a_new_tenant_has_http_and_pull_and_nothing_else(api: Api, how: str) -> None:
    body = {"role": "write"} if how.endswith("keys") else {"tasks_max": 5}
    api.call(how, body, key=operator(api))
    theirs = api.key("admin", "beta")

    assert api.call("GET /v1/tenants/beta", key=theirs).body["targets"] == []
    assert refused(api.call("POST /v1/schedules", SCHEDULE | {"name": "report"}, key=theirs))
    made = api.call("POST /v1/schedules", SCHEDULE | {"name": "w", "target": HTTP}, key=theirs)
    assert made.status == 201
    listed = api.call("GET /v1/tenants", key=operator(api)).body["data"]
    assert "beta" in [each["tenant_id"] for each in listed]


def test_a_tenant_from_before_keeps_what_it_may_until_it_is_said(api: Api) -> None:
    """Its keys were made by an earlier release: a limit or a key takes nothing away from it."""
    api.schedule("old")
    api.call("PUT /v1/tenants/acme", {"running_max": 4}, key=operator(api))
    api.call("POST /v1/tenants/acme/keys", {"role": "read"}, key=operator(api))

    assert api.call("GET /v1/tenants/acme").body["targets"] is None
    api.schedule("more")


def test_a_planned_tenant_is_not_made(api: Api) -> None:
    for route, body in (
        ("PUT /v1/tenants/new", {}),
        ("POST /v1/tenants/new/keys", {"role": "read"}),
    ):
        assert api.call(f"{route}?dry_run=true", body, key=operator(api)).status == 200
        assert table_reads.get("runs", limit_key("new")) is None


def test_http_without_secrets_reads_nothing_more(api: Api) -> None:
    allow(api)
    api.warm()

    assert api.call("POST /v1/tasks", {"target": HTTP, "delay_sec": 900}).status == 201
    assert api.trips() <= 3
