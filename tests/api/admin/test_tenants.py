"""Tenants: what each may use, set by the operator, seen by itself."""

from __future__ import annotations

import pytest

from onthedot.registry.api_keys import FIRST_TENANT
from onthedot.work.gates import tenant_line
from tests.api import ran
from tests.api.kit import SCHEDULE, Api


def operator(api: Api) -> str:
    return api.key("admin", FIRST_TENANT)


def test_a_tenant_is_made_with_its_limits_and_a_key_of_its_own(api: Api) -> None:
    made = api.call("PUT /v1/tenants/acme", {"tasks_max": 5}, key=operator(api))
    key = api.call(
        "POST /v1/tenants/acme/keys", {"role": "admin", "name": "first"}, key=operator(api)
    )

    assert (made.status, made.body["tasks_max"], made.body["tasks"]) == (200, 5, 0)
    assert key.status == 201
    seen = api.call("GET /v1/tenants", key=key.body["key"]).body["data"]
    assert [each["tenant_id"] for each in seen] == ["acme"]
    every = api.call("GET /v1/tenants", key=operator(api)).body["data"]
    assert [each["tenant_id"] for each in every] == ["acme", FIRST_TENANT]


def test_another_limit_holds_at_once_and_counts_what_is_there(api: Api) -> None:
    api.schedule("one")
    api.call("PUT /v1/tenants/acme", {"tasks_max": 2}, key=operator(api))
    api.schedule("two")

    refused = api.call("POST /v1/schedules", SCHEDULE | {"name": "three"})
    shown = api.call("GET /v1/tenants/acme").body
    api.call("PUT /v1/tenants/acme", {"tasks_max": 3}, key=operator(api))

    assert (refused.status, refused.body["code"]) == (429, "quota_exceeded")
    assert (shown["tasks"], shown["tasks_max"]) == (2, 2)
    api.schedule("three")
    assert api.call("GET /v1/tenants/acme").body["tasks"] == 3


def test_the_trail_says_from_what_to_what_a_limit_was_set(api: Api) -> None:
    for most in (5, 7):
        api.now_ms += 1
        api.call("PUT /v1/tenants/acme", {"running_max": most}, key=operator(api))

    newest = api.call("GET /v1/audit?limit=1", key=operator(api)).body["data"][0]
    assert (newest["what"], newest["about"]) == ("tenant.changed", "acme")
    assert (newest["before"], newest["after"]) == ({"running_max": 5}, {"running_max": 7})


def test_a_limit_and_a_key_are_planned_and_nothing_is_written(api: Api) -> None:
    boss = operator(api)
    for route in ("PUT /v1/tenants/acme", "POST /v1/tenants/acme/keys"):
        body = {"running_max": 5} if route.startswith("PUT") else {"role": "read"}
        trail = api.call("GET /v1/audit", key=boss).body["data"]

        plan = api.call(f"{route}?dry_run=true", body, key=boss).body
        assert api.call("GET /v1/audit", key=boss).body["data"] == trail
        assert api.call("GET /v1/tenants/acme").body["running_max"] is None

        done = api.call(f"{route}?plan_token={plan['plan_token']}", body, key=boss)
        assert done.status in (200, 201), done.text
        api.call("PUT /v1/tenants/acme", {"running_max": None}, key=boss)


def test_a_plan_of_limits_that_were_changed_since_is_stale(api: Api) -> None:
    boss, wanted = operator(api), {"running_max": 5}
    token = api.call("PUT /v1/tenants/acme?dry_run=true", wanted, key=boss).body["plan_token"]
    api.call("PUT /v1/tenants/acme", {"running_max": 7}, key=boss)

    refused = api.call(f"PUT /v1/tenants/acme?plan_token={token}", wanted, key=boss)

    assert (refused.status, refused.body["code"]) == (409, "plan_stale")


def test_a_key_for_a_tenant_cannot_have_expired_already(api: Api) -> None:
    body = {"role": "read", "expires_at": "2020-01-01T00:00:00Z"}

    refused = api.call("POST /v1/tenants/acme/keys", body, key=operator(api))

    assert (refused.status, refused.body["code"]) == (422, "invalid_field")


def test_what_is_not_named_stays(api: Api) -> None:
    api.call("PUT /v1/tenants/acme", {"tasks_max": 7}, key=operator(api))

    shown = api.call("PUT /v1/tenants/acme", {"requests_per_min": 50}, key=operator(api)).body

    assert (shown["tasks_max"], shown["requests_per_min"]) == (7, 50)


def test_nobody_raises_a_limit_of_their_own_or_sees_another(api: Api) -> None:
    own = api.call("PUT /v1/tenants/acme", {"tasks_max": 9})
    others = [
        api.call("GET /v1/tenants/other"),
        api.call("PUT /v1/tenants/other", {"tasks_max": 9}),
        api.call("POST /v1/tenants/other/keys", {"role": "admin"}),
    ]

    assert (own.status, own.body["code"]) == (403, "forbidden")
    assert [each.status for each in others] == [404, 404, 404]
    assert api.call("GET /v1/tenants", key=api.key("write")).status == 403


def test_a_name_that_is_none_makes_no_tenant(api: Api) -> None:
    for name in ("UPPER", "a.b", "x" * 64):
        assert api.call(f"PUT /v1/tenants/{name}", {}, key=operator(api)).status == 404


def test_a_quota_of_runs_is_set_shown_and_taken_away(api: Api) -> None:
    before = api.call("GET /v1/tenants/acme").body
    made = api.call("PUT /v1/tenants/acme", {"running_max": 3}, key=operator(api))
    api.call("PUT /v1/tenants/acme", {"tasks_max": 7}, key=operator(api))
    listed = api.call("GET /v1/tenants", key=operator(api)).body["data"]
    away = api.call("PUT /v1/tenants/acme", {"running_max": None}, key=operator(api))

    assert before["running_max"] is None
    assert (made.status, made.body["running_max"]) == (200, 3)
    assert [(each["tenant_id"], each["running_max"]) for each in listed] == [
        ("acme", 3),
        (FIRST_TENANT, None),
    ]
    assert (away.body["running_max"], away.body["tasks_max"]) == (None, 7)
    assert api.call("GET /v1/tenants/acme").body["running_max"] is None


@pytest.mark.parametrize("given", [0, -1, 1_001, "many", 1.5])
def test_a_quota_of_runs_that_is_none_is_refused(api: Api, given: object) -> None:
    answer = api.call("PUT /v1/tenants/acme", {"running_max": given}, key=operator(api))

    assert (answer.status, answer.body["errors"][0]["pointer"]) == (422, "/running_max")
    assert api.call("GET /v1/tenants/acme").body["running_max"] is None


@pytest.mark.parametrize("given", [2, None])
def test_another_quota_calls_who_may_start_by_it(api: Api, given: int | None) -> None:
    body = {"running_max": 1, "targets": ["python:*"]}
    api.call("PUT /v1/tenants/acme", body, key=operator(api))
    waiting = [ran.read(ran.triggered(api)) for _ in range(3)]
    tenant_line.join(waiting)
    queue = api.sqs.queue("normal")
    queue.purge()

    api.call("PUT /v1/tenants/acme", {"running_max": given}, key=operator(api))

    called = [message.body for message in queue.messages.values()]
    first = sorted(run.run_id for run in waiting)[: given or 3]
    assert [any(run_id in body for body in called) for run_id in first] == [True] * len(first)
    assert len(called) == len(first)
    assert len(tenant_line.entries("acme", 10)) == 3 - len(first)
