"""Tenants see nothing of each other; roles, keys and quotas hold."""

from __future__ import annotations

import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor

import pytest

from tests.blackbox.user import HELLO, YEARLY, User, instant, pause_for, until
from tests.blackbox.world import World

# 48 environments begin at once, each with a second of a processor.
BURST_SEC = 240


def furnished(world: World) -> tuple[User, dict[str, str]]:
    """Returns a tenant with one of each, and their ids."""
    user = world.tenant()
    schedule = user.schedule("private", cron=YEARLY)["task_id"]
    task = user.task(delay_sec=900)["task_id"]
    run = user.trigger("private")
    user.settled(run)
    user.said(201, "POST", "/v1/calendars", {"calendar_id": "mine", "dates": ["2027-12-25"]})
    key = user.walked("/v1/keys")[0]["key_id"]
    return user, {"schedule": schedule, "task": task, "run": run, "key": key, "calendar": "mine"}


def test_what_is_another_tenants_is_not_there(world: World) -> None:
    (_, ids), other = furnished(world), world.tenant()
    schedule, task, run = ids["schedule"], ids["task"], ids["run"]
    patch = {"description": "stolen"}

    answers = [
        other.ask("GET", f"/v1/schedules/{schedule}"),
        other.ask("GET", "/v1/schedules/private"),
        other.ask("PATCH", f"/v1/schedules/{schedule}", patch, If_Match="*"),
        other.ask("DELETE", f"/v1/schedules/{schedule}"),
        other.ask("POST", f"/v1/schedules/{schedule}/pause"),
        other.ask("POST", f"/v1/schedules/{schedule}/resume"),
        other.ask("POST", f"/v1/schedules/{schedule}/trigger"),
        other.ask("GET", f"/v1/schedules/{schedule}/runs"),
        other.ask("GET", f"/v1/schedules/{schedule}/next"),
        other.ask("GET", f"/v1/schedules/{schedule}/slots"),
        other.ask("GET", f"/v1/schedules/{schedule}/backfills"),
        other.ask("GET", f"/v1/tasks/{task}"),
        other.ask("POST", f"/v1/tasks/{task}/cancel"),
        other.ask("POST", f"/v1/tasks/{task}/reschedule", {"delay_sec": 5}),
        other.ask("GET", f"/v1/runs/{run}"),
        other.ask("GET", f"/v1/runs/{run}/logs"),
        other.ask("POST", f"/v1/runs/{run}/cancel"),
        other.ask("POST", f"/v1/runs/{run}/replay"),
        other.ask("POST", f"/v1/runs/{run}/complete", {"attempt": 1}),
        other.ask("POST", f"/v1/runs/{run}/once", {"attempt": 1, "key": "x"}),
        other.ask("GET", f"/v1/runs?task_id={schedule}"),
        other.ask("GET", f"/v1/keys/{ids['key']}"),
        other.ask("DELETE", f"/v1/keys/{ids['key']}"),
        other.ask("GET", "/v1/calendars/mine"),
        other.ask("DELETE", "/v1/calendars/mine"),
        other.ask("GET", "/v1/tenants/default"),
        other.ask("PUT", "/v1/tenants/default", {"tasks_max": 1}),
        other.ask("POST", "/v1/tenants/default/keys", {"role": "admin"}),
    ]

    assert [each.refusal for each in answers] == [(404, "not_found")] * len(answers)


def test_lists_hold_only_what_is_the_tenants_own(world: World) -> None:
    furnished(world)
    other = world.tenant()
    other.schedule("private", cron=YEARLY)

    assert [each["name"] for each in other.walked("/v1/schedules")] == ["private"]
    for path in ("/v1/tasks", "/v1/runs", "/v1/calendars", "/v1/dead-letters"):
        assert other.walked(path) == [], path
    assert {each["tenant_id"] for each in other.get("/v1/tenants")["data"]} == {other.tenant}
    trail = other.walked("/v1/audit")
    assert {each["what"] for each in trail} <= {"schedule.created", "key.created"}
    assert [each["name"] for each in other.get("/v1/upcoming?limit=200")["data"]] == []


def test_without_a_key_nothing_opens(world: World) -> None:
    user = world.tenant()
    cut = User(user.url, user.key[:-1], user.tenant)
    other = "B" if user.key[-9] == "A" else "A"
    wrong = User(user.url, user.key[:-9] + other + user.key[-8:], user.tenant)
    odd = [User(user.url, text, "") for text in ("x", "otd_", "otd__", f"{user.key}{user.key}")]

    for each in (world.stranger, cut, wrong, *odd):
        assert each.ask("GET", "/v1/schedules").refusal == (401, "unauthenticated")


def test_a_role_may_do_what_the_docs_say_and_no_more(world: World) -> None:
    user = world.tenant()
    user.schedule("yearly", cron=YEARLY)
    read, write, worker = (user.with_key(role) for role in ("read", "write", "worker"))
    body = {"name": "new", "cron": YEARLY, "target": HELLO}

    allowed = [
        read.ask("GET", "/v1/schedules/yearly").status,
        read.ask("POST", "/v1/cron/preview", {"cron": "@daily"}).status,
        write.ask("GET", "/v1/schedules/yearly").status,
        write.ask("POST", "/v1/schedules", body).status,
        worker.ask("POST", "/v1/leases", {"queue": "q", "wait_sec": 0}).status,
    ]
    forbidden = [
        read.ask("POST", "/v1/schedules", body),
        read.ask("POST", "/v1/schedules/yearly/trigger"),
        read.ask("DELETE", "/v1/schedules/yearly"),
        read.ask("GET", "/v1/keys"),
        read.ask("POST", "/v1/leases", {"queue": "q"}),
        write.ask("POST", "/v1/keys", {"role": "admin"}),
        write.ask("GET", "/v1/keys"),
        write.ask("GET", "/v1/audit"),
        write.ask("GET", "/v1/tenants"),
        worker.ask("GET", "/v1/schedules"),
        worker.ask("POST", "/v1/schedules", body),
        worker.ask("GET", "/v1/runs"),
        user.ask("PUT", f"/v1/tenants/{user.tenant}", {"tasks_max": 1_000_000}),
    ]

    assert allowed == [200, 200, 200, 201, 200]
    assert [each.refusal for each in forbidden] == [(403, "forbidden")] * len(forbidden)


def test_a_revoked_key_opens_nothing_within_a_minute(world: World) -> None:
    user = world.tenant()
    colleague = user.with_key("read", name="colleague")
    key_id = next(each["key_id"] for each in user.walked("/v1/keys") if each["name"] == "colleague")
    assert colleague.ask("GET", "/v1/schedules").status == 200

    user.said(204, "DELETE", f"/v1/keys/{key_id}")
    until(lambda: colleague.ask("GET", "/v1/schedules").status, lambda status: status == 401, 70)

    assert user.get(f"/v1/keys/{key_id}")["revoked_at"]


def test_a_key_that_has_expired_opens_nothing(world: World) -> None:
    user = world.tenant()
    end = time.time() + 6
    brief = user.with_key("read", expires_at=instant(end))
    assert brief.ask("GET", "/v1/schedules").status == 200

    pause_for(end - time.time() + 1)

    assert brief.ask("GET", "/v1/schedules").refusal == (401, "unauthenticated")


def test_a_tenant_may_have_so_many_tasks(world: World) -> None:
    user = world.tenant(tasks_max=2)
    user.schedule("one", cron=YEARLY)
    user.schedule("two", cron=YEARLY)
    third = {"name": "three", "cron": YEARLY, "target": HELLO}

    full = user.ask("POST", "/v1/schedules", third)
    user.said(204, "DELETE", "/v1/schedules/one")
    after = user.ask("POST", "/v1/schedules", third)

    assert full.refusal == (429, "quota_exceeded")
    assert after.status == 201


def test_requests_beyond_the_limit_of_a_minute_are_429_and_say_how_long(world: World) -> None:
    user = world.tenant(requests_per_min=15)

    answers = [user.ask("GET", "/v1/calendars") for _ in range(40)]

    refused = [each for each in answers if each.status == 429]
    assert {each.refusal for each in refused} == {(429, "rate_limited")}
    assert all(int(each.headers["retry-after"]) <= 60 for each in refused)
    # A full minute may begin in between.
    assert len(refused) >= 40 - 2 * 15
    good = next(each for each in answers if each.status == 200)
    assert "r=" in good.headers["ratelimit"]
    assert "15" in good.headers["ratelimit-policy"]


@pytest.mark.long
@pytest.mark.alone
def test_a_burst_of_a_new_tenant_far_below_its_limit_is_refused_nothing(world: World) -> None:
    user, operator = world.tenant(requests_per_min=6_000), world.operator

    def statuses(who: User, requests: int) -> Counter[int]:
        held = {"authorization": f"Bearer {who.key}"}

        def status(_: int) -> int:
            path = "/v1/calendars"
            return who.exchange("GET", path, None, held, timeout_sec=BURST_SEC).status

        with ThreadPoolExecutor(48) as threads:
            return Counter(threads.map(status, range(requests)))

    # Another's: it makes the API have as many environments as there are threads.
    statuses(operator, 48)
    # The limit is for a minute: all in one.
    pause_for(60.5 - time.time() % 60)
    answered = statuses(user, 400)

    assert answered == {200: 400}


def test_a_quota_is_shown_and_set_by_the_operator(world: World) -> None:
    user = world.tenant(running_max=3, tasks_max=7)

    shown = user.get(f"/v1/tenants/{user.tenant}")
    world.operator.said(200, "PUT", f"/v1/tenants/{user.tenant}", {"running_max": None})
    after = user.get(f"/v1/tenants/{user.tenant}")

    assert (shown["running_max"], shown["tasks_max"]) == (3, 7)
    assert (after["running_max"], after["tasks_max"]) == (None, 7)


def test_a_tenant_may_call_only_what_is_named_for_it(world: World) -> None:
    user, hook = world.tenant(targets=[]), world.hook()
    secret = {"secret_ref": "arn:aws:secretsmanager:eu-west-1:123456789012:secret:another"}
    queue = "https://sqs.eu-west-1.amazonaws.com/123456789012/another"

    refused = [
        user.ask("POST", "/v1/tasks", {"target": HELLO}),
        user.ask("POST", "/v1/tasks", {"target": {**hook.target, "auth": secret}}),
        user.ask("POST", "/v1/tasks", {"target": {"type": "sqs", "queue_url": queue}}),
    ]
    called = user.ran(user.task(target=hook.target)["task_id"])
    world.operator.said(200, "PUT", f"/v1/tenants/{user.tenant}", {"targets": ["python:hello"]})
    allowed = user.ran(user.task()["task_id"])

    assert [each.refusal for each in refused] == [(422, "target_forbidden")] * 3
    assert called["status"] == allowed["status"] == "succeeded"
    assert user.get(f"/v1/tenants/{user.tenant}")["targets"] == ["python:hello"]


def test_what_is_taken_from_a_tenant_is_not_called_any_more(world: World) -> None:
    user = world.tenant()
    task = user.task(delay_sec=15)

    world.operator.said(200, "PUT", f"/v1/tenants/{user.tenant}", {"targets": []})
    run = user.ran(task["task_id"])

    assert (run["status"], run["reason"]) == ("dead", "target_forbidden")


def test_the_last_admin_key_of_the_operator_stays(world: World) -> None:
    operator = world.operator
    key_id = f"key_{operator.key.split('_')[1]}"

    # Planned only: were it done, nobody could make another.
    answer = operator.ask("DELETE", f"/v1/keys/{key_id}?dry_run=true")

    assert answer.refusal == (409, "last_admin_key")


def test_what_code_declares_is_not_for_a_request_to_say(world: World) -> None:
    user = world.tenant()
    body = {"name": "mine", "cron": YEARLY, "target": HELLO, "managed_by": "code:examples"}

    assert user.ask("POST", "/v1/schedules", body).status == 422
