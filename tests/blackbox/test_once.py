"""Doing it once, and looking before leaping: idempotency keys and plans."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.blackbox.user import HELLO, YEARLY, User
from tests.blackbox.world import World


def test_a_repeated_request_gets_the_first_answer_again(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    body = {"target": hook.target}

    first = user.ask("POST", "/v1/tasks", body, Idempotency_Key="order-1")
    again = user.ask("POST", "/v1/tasks", body, Idempotency_Key="order-1")
    other = user.ask("POST", "/v1/tasks", {**body, "payload": 2}, Idempotency_Key="order-1")
    user.ran(first.json["task_id"])

    assert (first.status, again.status) == (201, 201)
    assert again.json["task_id"] == first.json["task_id"]
    assert again.headers["idempotent-replayed"] == "true"
    assert "idempotent-replayed" not in first.headers
    assert other.refusal == (422, "idempotency_key_reused")
    assert len(hook.calls) == 1


def test_the_field_makes_one_task_for_an_order(world: World) -> None:
    user = world.tenant()
    body = {"target": HELLO, "delay_sec": 300, "idempotency_key": "invoice-7"}

    first = user.said(201, "POST", "/v1/tasks", body)
    again = user.said(200, "POST", "/v1/tasks", body)
    other = user.ask("POST", "/v1/tasks", {**body, "payload": {"other": 1}})

    assert again["task_id"] == first["task_id"]
    assert other.refusal == (422, "idempotency_key_reused")
    assert len(user.walked("/v1/tasks")) == 1


def test_of_the_same_request_at_the_same_time_one_is_carried_out(world: World) -> None:
    user = world.tenant()
    user.schedule("yearly", cron=YEARLY)

    def trigger(_: int) -> tuple[int, str]:
        path = "/v1/schedules/yearly/trigger"
        answer = user.ask("POST", path, {}, Idempotency_Key="at-once")
        return answer.status, answer.json["run_id"] if answer.status == 202 else answer.code

    with ThreadPoolExecutor(8) as pool:
        answers = set(pool.map(trigger, range(8)))

    assert len({run_id for status, run_id in answers if status == 202}) == 1
    assert answers - {each for each in answers if each[0] == 202} <= {
        (409, "idempotency_in_progress")
    }
    assert len(user.runs("yearly")) == 1


def planned(user: User, method: str, path: str, body: object = None) -> str:
    """Plans it, and gives the token."""
    plan = user.said(200, method, f"{path}?dry_run=true", body, If_Match="*")
    assert {"plan_token", "expires_at", "effects"} <= set(plan)
    return str(plan["plan_token"])


def test_a_plan_changes_nothing_and_its_token_does_it_once(world: World) -> None:
    user = world.tenant()
    body = {"name": "planned", "cron": YEARLY, "target": HELLO}

    token = planned(user, "POST", "/v1/schedules", body)
    before = user.ask("GET", "/v1/schedules/planned").status
    made = user.said(201, "POST", f"/v1/schedules?plan_token={token}", body)
    again = user.said(201, "POST", f"/v1/schedules?plan_token={token}", body)

    assert before == 404
    assert again["task_id"] == made["task_id"]


@pytest.mark.parametrize("action", ["pause", "trigger"])
def test_a_plan_of_an_action_is_stale_once_things_have_changed(world: World, action: str) -> None:
    user = world.tenant()
    user.schedule("yearly", cron=YEARLY)
    path = f"/v1/schedules/yearly/{action}"
    token = planned(user, "POST", path)

    user.said(200, "PATCH", "/v1/schedules/yearly", {"description": "new"}, If_Match="*")
    late = user.ask("POST", f"{path}?plan_token={token}")

    assert late.refusal == (409, "plan_stale")
    assert user.get("/v1/schedules/yearly")["status"] == "active"
    assert user.runs("yearly") == []


def test_a_token_is_good_for_its_own_request_only(world: World) -> None:
    user, other = world.tenant(), world.tenant()
    for each in (user, other):
        each.schedule("yearly", cron=YEARLY)
    token = planned(user, "POST", "/v1/schedules/yearly/pause")

    refusals = [
        user.ask("POST", f"/v1/schedules/yearly/resume?plan_token={token}"),
        user.ask("POST", f"/v1/schedules/yearly/pause?plan_token={token}x"),
        other.ask("POST", f"/v1/schedules/yearly/pause?plan_token={token}"),
    ]

    assert [each.refusal for each in refusals] == [(409, "plan_stale")] * 3


def test_every_kind_of_write_can_be_planned(world: World) -> None:
    user = world.tenant()
    user.schedule("yearly", cron=YEARLY)
    task = user.task(delay_sec=600)["task_id"]
    calendar = {"calendar_id": "holidays", "dates": ["2027-12-25"]}

    planned(user, "DELETE", "/v1/schedules/yearly")
    planned(user, "PATCH", "/v1/schedules/yearly", {"description": "x"})
    planned(user, "POST", "/v1/tasks", {"target": HELLO})
    planned(user, "POST", f"/v1/tasks/{task}/cancel")
    planned(user, "POST", f"/v1/tasks/{task}/reschedule", {"delay_sec": 900})
    planned(user, "POST", "/v1/calendars", calendar)
    planned(user, "POST", "/v1/keys", {"role": "read"})
    planned(world.operator, "PUT", f"/v1/tenants/{user.tenant}", {"tasks_max": 5})

    assert user.get("/v1/schedules/yearly")["description"] == ""
    assert user.get(f"/v1/tasks/{task}")["status"] == "active"
    assert user.walked("/v1/calendars") == []
    assert len(user.walked("/v1/keys")) == 1


def test_a_new_keys_text_is_not_repeated(world: World) -> None:
    user = world.tenant()
    token = planned(user, "POST", "/v1/keys", {"role": "read"})

    made = user.said(201, "POST", f"/v1/keys?plan_token={token}", {"role": "read"})
    shown = user.get(f"/v1/keys/{made['key_id']}")

    assert made["key"].startswith(f"otd_{made['key_id'].removeprefix('key_')}_")
    assert "key" not in shown


def test_a_plan_is_carried_out_once_whichever_key_sends_it(world: World) -> None:
    user = world.tenant()
    colleague = user.with_key("write")
    user.schedule("yearly", cron=YEARLY)
    token = planned(user, "POST", "/v1/schedules/yearly/trigger")
    path = f"/v1/schedules/yearly/trigger?plan_token={token}"

    first, again = user.ask("POST", path), colleague.ask("POST", path)

    assert (first.status, again.status) == (202, 202)
    assert first.json["run_id"] == again.json["run_id"]
    assert len(user.runs("yearly")) == 1
