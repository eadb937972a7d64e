"""Every problem that the documentation knows can be met, and has its page."""

from __future__ import annotations

import json
from collections.abc import Callable

import pytest
from botocore.exceptions import ClientError

from onthedot.api import app
from onthedot.records.access.api_key import tenant_key
from onthedot.records.access.idempotency import LOCKED_MS, Once, once
from onthedot.records.problems import KINDS, slug
from onthedot.registry.api_keys import FIRST_TENANT
from onthedot.store import table_reads
from tests.api.kit import SCHEDULE, Answer, Api

REPORT = SCHEDULE | {"name": "report"}
TASK = {"target": {"type": "python", "handler": "hello"}}


def started(api: Api) -> str:
    """Returns a task whose run a worker has fetched."""
    made = api.call("POST /v1/tasks", {"target": {"type": "pull", "queue": "q"}}).body
    api.wait(1)
    leased = api.call("POST /v1/leases", {"queue": "q", "worker": "w"}, key=api.key("worker"))
    assert leased.body["data"], leased.text
    task_id: str = made["task_id"]
    return task_id


def finished(api: Api) -> str:
    """Returns a task whose run was cancelled."""
    made = api.call("POST /v1/tasks", TASK | {"delay_sec": 60}).body
    api.call(f"POST /v1/runs/{made['run']['run_id']}/cancel")
    task_id: str = made["task_id"]
    return task_id


def under_way(api: Api) -> Answer:
    api.key()
    scope = ("acme", _key_id(api), "POST", "/v1/schedules", "a-1")
    begun: Once = once(scope, "", api.now_ms)
    table_reads.put("access", begun.item(api.now_ms) | {"body_hash": _body_hash(api, scope)})
    return api.call("POST /v1/schedules", REPORT, idempotency_key="a-1")


def _key_id(api: Api) -> str:
    return "key_" + api.key().split("_")[1]


def _body_hash(api: Api, scope: tuple[str, ...]) -> str:
    return once(scope, f"[]{json.dumps(REPORT)}", api.now_ms + LOCKED_MS).body_hash


def failing(api: Api, code: str) -> Answer:
    """A store that answers with an error of its own."""

    def refuse(*_: object) -> None:
        raise ClientError({"Error": {"Code": code, "Message": ""}}, "Query")

    with api.settings.context() as during:
        during.setattr(app, "resolve", refuse)
        return api.call("GET /v1/timezones")


def poor(**limits: int) -> None:
    table_reads.put("access", tenant_key("acme") | limits)


def twice(api: Api) -> Answer:
    api.call("POST /v1/schedules", REPORT, idempotency_key="a-1")
    return api.call("POST /v1/schedules", REPORT | {"priority": 1}, idempotency_key="a-1")


def limited(api: Api) -> Answer:
    poor(requests_per_min=1)
    key = api.key("read")
    api.call("GET /v1/timezones", key=key)
    return api.call("GET /v1/timezones", key=key)


def no_room(api: Api) -> Answer:
    poor(tasks_left=0, recounted_ms=api.now_ms)
    return api.call("POST /v1/schedules", REPORT)


def replaced(api: Api, **headers: str) -> Answer:
    api.schedule()
    return api.call("PUT /v1/schedules/report", REPORT, **headers)


def taken(api: Api) -> Answer:
    api.schedule()
    return api.call("POST /v1/schedules", REPORT)


def stale_lease(api: Api) -> Answer:
    run = api.call(f"GET /v1/tasks/{started(api)}").body["run"]["run_id"]
    return api.call(f"POST /v1/runs/{run}/heartbeat", {"attempt": 7}, key=api.key("worker"))


def alive(api: Api) -> Answer:
    run = api.call(f"GET /v1/tasks/{started(api)}").body["run"]["run_id"]
    return api.call(f"POST /v1/runs/{run}/replay")


def last_admin(api: Api) -> Answer:
    boss = api.key("admin", FIRST_TENANT)
    return api.call(f"DELETE /v1/keys/key_{boss.split('_')[1]}", key=boss)


def in_use(api: Api) -> Answer:
    api.call("POST /v1/calendars", {"calendar_id": "holidays", "dates": ["2026-12-25"]})
    api.schedule(calendars=["holidays"])
    return api.call("DELETE /v1/calendars/holidays")


HTTP = {"type": "http", "url": "http://10.0.0.1/"}
MET: dict[str, Callable[[Api], Answer]] = {
    "invalid_request": lambda api: api.call("POST /v1/schedules", "{"),
    "unknown_field": lambda api: api.call("POST /v1/schedules", REPORT | {"tz": "UTC"}),
    "read_only_field": lambda api: api.call("POST /v1/schedules", REPORT | {"version": 7}),
    "cursor_mismatch": lambda api: api.call("GET /v1/schedules?cursor=forged"),
    "unsupported_filter": lambda api: api.call(
        "GET /v1/runs?status=succeeded&from=2026-01-01T00:00:00Z"
    ),
    "unauthenticated": lambda api: api.call("GET /v1/schedules", key=""),
    "forbidden": lambda api: api.call("GET /v1/keys", key=api.key("write")),
    "not_found": lambda api: api.call("GET /v1/schedules/none"),
    "method_not_allowed": lambda api: api.call("PUT /v1/schedules"),
    "name_taken": taken,
    "idempotency_in_progress": under_way,
    "plan_stale": lambda api: api.call("POST /v1/schedules?plan_token=1.forged", REPORT),
    "already_started": lambda api: api.call(f"POST /v1/tasks/{started(api)}/cancel"),
    "already_finished": lambda api: api.call(f"POST /v1/tasks/{finished(api)}/cancel"),
    "not_dead": alive,
    "last_admin_key": last_admin,
    "calendar_in_use": in_use,
    "lease_lost": stale_lease,
    "version_mismatch": lambda api: replaced(api, if_match='"7"'),
    "version_required": replaced,
    "payload_too_large": lambda api: api.call("POST /v1/schedules", "x" * 300_001),
    "unsupported_media_type": lambda api: api.call("POST /v1/tasks", TASK, content_type="a/b"),
    "invalid_schedule": lambda api: api.call("POST /v1/schedules", REPORT | {"cron": "0 0 31 2 *"}),
    "invalid_target": lambda api: api.call("POST /v1/tasks", {"target": {"type": "python"}}),
    "invalid_field": lambda api: api.call("POST /v1/tasks", TASK | {"priority": 9}),
    "run_at_in_past": lambda api: api.call(
        "POST /v1/tasks", TASK | {"run_at": "2026-01-01T00:00:00Z"}
    ),
    "idempotency_key_reused": twice,
    "target_forbidden": lambda api: api.call("POST /v1/tasks", {"target": HTTP}),
    "quota_exceeded": no_room,
    "rate_limited": limited,
    "internal": lambda api: failing(api, "ResourceNotFoundException"),
    "unavailable": lambda api: failing(api, "ThrottlingException"),
}


def test_every_code_is_met_by_some_request() -> None:
    assert MET.keys() == KINDS.keys()


@pytest.mark.parametrize("code", MET)
def test_a_problem_says_what_it_is_and_where_its_page_stands(api: Api, code: str) -> None:
    met = MET[code](api)

    assert met.body["code"] == code, met.text
    assert met.status == met.body["status"] == KINDS[code].status
    assert met.headers["content-type"] == "application/problem+json"
    assert met.body["title"] == KINDS[code].title
    assert met.body["detail"]
    assert met.body["type"] == f"/problems/{slug(code)}"
    page = api.call(f"GET {met.body['type']}", key="")
    assert page.status == 200
    assert f"`{code}`" in page.text


def test_a_pattern_that_could_take_for_ever_is_refused_where_it_stands(api: Api) -> None:
    target = {"type": "http", "url": "https://example.com/hook", "expect_body": r"(a)\1"}

    refused = api.call("POST /v1/tasks", {"target": target})

    assert (refused.status, refused.body["code"]) == (422, "invalid_target")
    (fault,) = refused.body["errors"]
    assert fault["pointer"] == "/target/expect_body"
    assert "not a valid RE2 pattern: invalid escape sequence" in fault["message"]
