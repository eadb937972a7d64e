"""What is one tenant's is nobody else's: every route that names a thing, from the table itself."""

from __future__ import annotations

import re
from collections.abc import Callable

import pytest

from onthedot.api.door.routes import ROUTES, Route
from tests.api.kit import SCHEDULE, Api

TASK = {"target": {"type": "python", "handler": "hello"}, "delay_sec": 60}


def a_schedule(api: Api) -> str:
    return str(api.schedule()["task_id"])


def a_task(api: Api) -> str:
    return str(api.call("POST /v1/tasks", TASK).body["task_id"])


def a_run(api: Api) -> str:
    return str(api.call("POST /v1/tasks", TASK).body["run"]["run_id"])


def a_calendar(api: Api) -> str:
    made = api.call("POST /v1/calendars", {"calendar_id": "holidays", "dates": ["2026-12-25"]})
    return str(made.body["calendar_id"])


def a_backfill(api: Api) -> str:
    day = {"from": "2026-11-17T00:00:00Z", "to": "2026-11-18T00:00:00Z"}
    schedule = api.call("GET /v1/schedules").body["data"][0]["task_id"]
    return carried_out(api, f"POST /v1/schedules/{schedule}/backfills", day, "backfill_id")


def an_operation(api: Api) -> str:
    return carried_out(api, "POST /v1/dead-letters/replay", {}, "operation_id")


def carried_out(api: Api, route: str, body: object, name: str) -> str:
    """What is planned first, and then done."""
    token = api.call(f"{route}?dry_run=true", body).body["plan_token"]
    return str(api.call(f"{route}?plan_token={token}", body).body[name])


def a_key(api: Api) -> str:
    return str(api.call("POST /v1/keys", {"role": "read"}).body["key_id"])


# What a path names, and how a thing of that kind comes to be.
THINGS: dict[str, Callable[[Api], str]] = {
    "schedule": a_schedule,
    "task_id": a_task,
    "run_id": a_run,
    "key_id": a_key,
    "calendar_id": a_calendar,
    "backfill_id": a_backfill,
    "operation_id": an_operation,
    "tenant_id": lambda _: "acme",
}
# What a body must hold to be let in.
BODIES: dict[str, object] = {
    "PUT /v1/schedules/{schedule}": SCHEDULE | {"name": "other"},
    "PATCH /v1/schedules/{schedule}": {"priority": 1},
    "POST /v1/tasks/{task_id}/reschedule": {"delay_sec": 5},
    "POST /v1/runs/{run_id}/heartbeat": {"attempt": 1},
    "POST /v1/runs/{run_id}/complete": {"attempt": 1},
    "POST /v1/runs/{run_id}/fail": {"attempt": 1},
    "POST /v1/runs/{run_id}/once": {"attempt": 1, "key": "charge"},
    "POST /v1/schedules/{schedule}/backfills": {
        "from": "2026-11-17T00:00:00Z",
        "to": "2026-11-18T00:00:00Z",
    },
    "PUT /v1/tenants/{tenant_id}": {"tasks_max": 7},
    "POST /v1/tenants/{tenant_id}/keys": {"role": "read"},
}
# A calendar's id is the caller's own choice: a stranger's PUT makes the stranger's own.
OWN = ("PUT /v1/calendars/{calendar_id}",)
NAMED = [route for route in ROUTES if route.role and "{" in route.path and route.key not in OWN]
BEHIND_A_KEY = [route for route in ROUTES if route.role]


@pytest.mark.parametrize("route", NAMED, ids=lambda route: route.key)
def test_another_tenants_thing_is_as_good_as_none(api: Api, route: Route) -> None:
    there = route.path
    for parameter in re.findall(r"{(\w+)}", route.path):
        there = there.replace(f"{{{parameter}}}", THINGS[parameter](api))
    own, foreign = api.key("admin"), api.key("admin", "other")

    refused = api.call(f"{route.method} {there}", BODIES.get(route.key), key=foreign)

    assert (refused.status, refused.body["code"]) == (404, "not_found"), refused.text
    answered = api.call(f"{route.method} {there}", BODIES.get(route.key), key=own)
    assert answered.body["code"] != "not_found" if answered.status >= 400 else True


@pytest.mark.parametrize("route", BEHIND_A_KEY, ids=lambda route: route.key)
def test_a_route_behind_a_key_opens_to_nobody_without_one(api: Api, route: Route) -> None:
    path = route.path.replace("{", "").replace("}", "")

    assert api.call(f"{route.method} {path}", key="").status == 401


@pytest.mark.parametrize("route", BEHIND_A_KEY, ids=lambda route: route.key)
def test_a_role_that_does_not_include_the_routes_is_refused(api: Api, route: Route) -> None:
    path = route.path.replace("{", "").replace("}", "")
    lesser = {"admin": "write", "write": "read", "worker": "write", "read": "worker"}

    refused = api.call(f"{route.method} {path}", key=api.key(lesser[route.role]))

    assert (refused.status, refused.body["code"]) == (403, "forbidden")


def test_a_list_holds_what_is_the_tenants_own(api: Api) -> None:
    api.schedule()
    api.call("POST /v1/tasks", TASK)

    for path in ("/v1/schedules", "/v1/tasks"):
        assert api.call(f"GET {path}", key=api.key("read", "other")).body["data"] == []
        assert len(api.call(f"GET {path}").body["data"]) == 1


def test_a_name_is_taken_within_its_tenant_only(api: Api) -> None:
    api.schedule("report")

    stranger = api.key("write", "other")
    made = api.call("POST /v1/schedules", SCHEDULE | {"name": "report"}, key=stranger)

    assert made.status == 201
