"""Every write may be asked first: nothing happens, and its token makes just that happen."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from onthedot.upkeep import bulk_operations
from tests.api import ran
from tests.api.kit import SCHEDULE, Api

TARGET = {"type": "python", "handler": "hello"}
TASKS = {"tasks": [{"target": TARGET, "delay_sec": 900}, {"delay_sec": -1}]}
DATES = {"calendar_id": "holidays", "dates": ["2026-12-25"]}
# A route, its body, what it says it would do, and the status when it is done.
Asked = tuple[str, Any, str, int]


BACKFILL = {"from": "2026-11-17T00:00:00Z", "to": "2026-11-18T00:00:00Z"}


def schedule(api: Api) -> Asked:
    return "POST /v1/schedules", SCHEDULE | {"name": f"new-{api.now_ms}"}, "create", 201


def trigger(api: Api) -> Asked:
    api.schedule()
    return "POST /v1/schedules/report/trigger", {"payload": {"n": 1}}, "trigger", 202


def cancel(api: Api) -> Asked:
    return f"POST /v1/runs/{ran.triggered(api)}/cancel", None, "cancel", 200


def replay(api: Api) -> Asked:
    return f"POST /v1/runs/{ran.dead(api)}/replay", {"payload": 7}, "replay", 201


def task(_: Api) -> Asked:
    return "POST /v1/tasks", TASKS["tasks"][0], "create", 201


def batch(_: Api) -> Asked:
    return "POST /v1/tasks/batch", TASKS, "create", 200


def calendar(_: Api) -> Asked:
    return "POST /v1/calendars", DATES, "create", 201


def new_key(_: Api) -> Asked:
    return "POST /v1/keys", {"role": "read", "name": "reader"}, "create", 201


def key(api: Api) -> Asked:
    made = api.call("POST /v1/keys", {"role": "read"}).body
    return f"DELETE /v1/keys/{made['key_id']}", None, "revoke", 204


def a_backfill(api: Api) -> str:
    """Begins one, and gives its path."""
    api.schedule(overlap="allow")
    route = "POST /v1/schedules/report/backfills"
    token = api.call(route, BACKFILL).body["plan_token"]
    begun = api.call(f"{route}?plan_token={token}", BACKFILL)
    return str(begun.headers["location"])


def backfill(api: Api) -> Asked:
    return f"POST {a_backfill(api)}/cancel", None, "cancel", 200


def operation(api: Api) -> Asked:
    ran.dead(api)
    route = "POST /v1/dead-letters/replay"
    token = api.call(route, {}).body["plan_token"]
    begun = api.call(f"{route}?plan_token={token}", {})
    return f"POST {begun.headers['location']}/cancel", None, "cancel", 200


WRITES = (
    backfill,
    operation,
    schedule,
    trigger,
    cancel,
    replay,
    task,
    batch,
    calendar,
    new_key,
    key,
)
LISTS = ("schedules", "tasks", "runs", "calendars", "keys", "audit")


def everything(api: Api) -> list[Any]:
    return [api.call(f"GET /v1/{name}").body["data"] for name in LISTS]


@pytest.mark.deep
@pytest.mark.parametrize("write", WRITES)
def test_it_is_planned_then_done_and_only_as_planned(
    api: Api, write: Callable[[Api], Asked]
) -> None:
    route, body, action, status = write(api)
    api.now_ms += 1_000
    before = everything(api)

    plan = api.call(f"{route}?dry_run=true", body)

    assert plan.status == 200, plan.text
    assert plan.body["effects"]["action"] == action
    assert everything(api) == before
    forged = api.call(f"{route}?plan_token=6afd9598.x", body)
    assert (forged.status, forged.body["code"]) == (409, "plan_stale")
    assert everything(api) == before
    done = api.call(f"{route}?plan_token={plan.body['plan_token']}", body)
    assert done.status == status, done.text
    assert everything(api) != before


def test_a_batch_says_of_each_task_what_would_become_of_it(api: Api) -> None:
    good, bad = api.call("POST /v1/tasks/batch?dry_run=true", TASKS).body["effects"]["data"]

    assert (good["status"], good["task"]["task_id"]) == (201, None)
    assert (bad["status"], bad["problem"]["code"]) == (422, "invalid_field")


def test_a_calendar_that_is_there_cannot_be_planned_anew(api: Api) -> None:
    api.call("POST /v1/calendars", DATES)

    taken = api.call("POST /v1/calendars?dry_run=true", DATES)

    assert (taken.status, taken.body["code"]) == (409, "name_taken")


def test_a_run_that_went_on_meanwhile_is_another_world(api: Api) -> None:
    run_id = ran.triggered(api)
    token = api.call(f"POST /v1/runs/{run_id}/cancel?dry_run=true").body["plan_token"]
    ran.started(run_id)

    stale = api.call(f"POST /v1/runs/{run_id}/cancel?plan_token={token}")

    assert (stale.status, stale.body["code"]) == (409, "plan_stale")


def test_a_plan_is_carried_out_once_however_often_it_is_sent(api: Api) -> None:
    api.schedule()
    route, body = "POST /v1/schedules/report/trigger", {"payload": 1}
    token = api.call(f"{route}?dry_run=true", body).body["plan_token"]

    first, second = (api.call(f"{route}?plan_token={token}", body) for _ in range(2))

    assert (first.status, second.status) == (202, 202)
    assert second.body["run_id"] == first.body["run_id"]
    assert second.headers["idempotent-replayed"] == "true"
    (run,) = api.call("GET /v1/schedules/report/runs").body["data"]
    assert run["run_id"] == first.body["run_id"]


def test_a_plan_is_carried_out_once_whichever_key_of_the_tenant_sends_it(api: Api) -> None:
    api.schedule()
    route, body = "POST /v1/schedules/report/trigger", {"payload": 1}
    token = api.call(f"{route}?dry_run=true", body).body["plan_token"]

    answers = [
        api.call(f"{route}?plan_token={token}", body, key=api.key(role), **headers)
        for role in ("admin", "write")
        for headers in ({}, {"idempotency_key": "mine"}, {"idempotency_key": "another"})
    ]

    assert {answer.status for answer in answers} == {202}
    assert len({answer.body["run_id"] for answer in answers}) == 1
    assert len(api.call("GET /v1/schedules/report/runs").body["data"]) == 1


def test_a_plan_under_an_idempotency_key_that_came_with_another_one_is_refused(api: Api) -> None:
    api.schedule()
    route = "POST /v1/schedules/report/trigger"
    tokens = [
        api.call(f"{route}?dry_run=true", body).body["plan_token"]
        for body in ({"payload": 1}, {"payload": 2})
    ]

    first, second = (
        api.call(f"{route}?plan_token={token}", {"payload": number}, idempotency_key="mine")
        for number, token in enumerate(tokens, start=1)
    )

    assert (first.status, second.status) == (202, 422)
    assert second.body["code"] == "idempotency_key_reused"


def test_a_backfill_that_has_ended_cannot_be_planned_to_stop(api: Api) -> None:
    path = a_backfill(api)
    bulk_operations.step()
    bulk_operations.step()

    ended = api.call(f"POST {path}/cancel?dry_run=true")

    assert (ended.status, ended.body["code"]) == (409, "already_finished")


def test_a_calendar_that_is_named_is_not_planned_to_be_forgotten(api: Api) -> None:
    api.call("POST /v1/calendars", DATES)
    api.schedule(calendars=["holidays"])

    refused = api.call("DELETE /v1/calendars/holidays?dry_run=true")

    assert (refused.status, refused.body["code"]) == (409, "calendar_in_use")
    assert "report" in refused.body["detail"]
