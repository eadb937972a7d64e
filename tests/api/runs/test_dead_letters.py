"""Dead letters: listed, grouped by error, run again or purged by the many."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.targets.attempt_outcome import error_of
from onthedot.upkeep import bulk_operations, dead_letters
from tests.api import ran
from tests.api.kit import Answer, Api

REPLAY, PURGE = "POST /v1/dead-letters/replay", "POST /v1/dead-letters/purge"


def listed(api: Api, query: str = "") -> list[str]:
    answer = api.call(f"GET /v1/dead-letters{query}")
    assert answer.status == 200, answer.text
    return [each["run_id"] for each in answer.body["data"]]


def carried_out(api: Api, route: str, body: dict[str, Any]) -> Answer:
    """Plan, then do it."""
    plan = api.call(route, body)
    assert plan.status == 200, plan.text
    answer = api.call(f"{route}?plan_token={plan.body['plan_token']}", body)
    assert answer.status == 202, answer.text
    return answer


def replays(api: Api) -> list[dict[str, Any]]:
    return list(api.call("GET /v1/runs?origin=replay").body["data"])


def test_the_newest_comes_first_with_its_error(api: Api) -> None:
    old = ran.dead(api)
    api.now_ms += 1_000
    new = ran.dead(api, message="no route to 10.0.0.8")

    first, second = api.call("GET /v1/dead-letters").body["data"]

    assert [first["run_id"], second["run_id"]] == [new, old]
    assert api.trips() == 2
    assert first["error"] == {"type": "OSError", "message": "no route to 10.0.0.8"}
    assert first["died_at"] == "2026-11-18T12:00:01.000Z"
    assert first["fingerprint"] == second["fingerprint"]


def test_they_are_filtered_and_go_on_where_a_page_ended(api: Api) -> None:
    reports = []
    for _ in range(3):
        reports.append(ran.dead(api))
        api.now_ms += 1_000
        other = ran.dead(api, "other", message="out of paper")
        api.now_ms += 1_000
    task_id = reports[0].partition(".")[0]

    page = api.call(f"GET /v1/dead-letters?task_id={task_id}&limit=2").body
    rest = api.call(
        f"GET /v1/dead-letters?task_id={task_id}&limit=2&cursor={page['next_cursor']}"
    ).body

    found = [each["run_id"] for each in page["data"] + rest["data"]]
    assert found == reports[::-1]
    assert rest["next_cursor"] is None
    fingerprint = error_of("OSError", "out of paper")["fingerprint"]
    assert listed(api, f"?fingerprint={fingerprint}")[0] == other
    assert listed(api, "?reason=permanent") == []
    assert listed(api, "?to=2026-11-18T12:00:00Z") == [reports[0]]


def test_likes_meet_in_a_group_which_is_exact_after_a_replay(api: Api) -> None:
    for place in range(3):
        last = ran.dead(api, message=f"no route to 10.0.0.{place}")
        api.now_ms += 1_000
    ran.dead(api, message="out of paper")

    first, second = api.call("GET /v1/dead-letters/groups").body["data"]

    assert (first["count"], second["count"]) == (3, 1)
    assert first["message"] == "no route to 10.0.0.2"
    assert first["sample_run_id"] == last
    assert first["first_at"] == "2026-11-18T12:00:00.000Z"
    assert first["last_at"] == "2026-11-18T12:00:02.000Z"
    api.call(f"POST /v1/runs/{last}/replay")
    counts = [each["count"] for each in api.call("GET /v1/dead-letters/groups").body["data"]]
    assert counts == [2, 1]


def test_a_plan_says_what_would_be_run_and_does_nothing(api: Api) -> None:
    run_id = ran.dead(api)
    ran.dead(api)
    ran.dead(api, "other", message="out of paper")
    task_id = run_id.partition(".")[0]

    plan = api.call(REPLAY, {"task_id": task_id, "rate_per_min": 1})

    assert (plan.status, plan.body["effects"]["runs"], plan.body["effects"]["minutes"]) == (
        200,
        2,
        2,
    )
    assert plan.body["effects"]["tasks"] == [{"task_id": task_id, "runs": 2}]
    assert len(listed(api)) == 3
    assert bulk_operations.step() == {}


def test_those_that_are_meant_are_run_again_at_the_rate_and_no_others(api: Api) -> None:
    ids = [ran.dead(api) for _ in range(3)]
    left = ran.dead(api, "other", message="out of paper")
    task_id = ids[0].partition(".")[0]

    answer = carried_out(
        api, REPLAY, {"task_id": task_id, "payload_patch": {"n": 1}, "rate_per_min": 2}
    )
    assert answer.headers["location"].endswith(answer.body["operation_id"])
    path = f"GET /v1/dead-letters/operations/{answer.body['operation_id']}"
    assert how_far(api.call(path).body) == ("running", 3, 0, 3)
    assert [bulk_operations.step()["replayed"] for _ in range(2)] == [2, 0]
    assert how_far(api.call(path).body) == ("running", 3, 2, 1)
    api.now_ms += 60_000
    assert bulk_operations.step()["replayed"] == 1

    shown = api.call(path).body
    assert how_far(shown) == ("done", 3, 3, 0)
    assert (shown["status"], shown["done"], shown["kind"]) == ("done", 3, "replay")
    assert listed(api) == [left]
    again = replays(api)
    assert sorted(run_of(api, each)["replay_of"] for each in again) == sorted(ids)
    assert run_of(api, again[0])["payload"] == {"n": 1}
    assert bulk_operations.step() == {}


def how_far(operation: dict[str, Any]) -> tuple[str, int, int, int]:
    """Returns its status, how many there are, how many are done, how many are still to do."""
    assert operation["complete"]
    told = (operation[name] for name in ("status", "total", "done", "left"))
    status, total, done, left = told
    return status, total, done, left


def run_of(api: Api, entry: dict[str, Any]) -> dict[str, Any]:
    return dict(api.call(f"GET /v1/runs/{entry['run_id']}").body)


def test_a_step_that_comes_twice_runs_nothing_twice(api: Api) -> None:
    ids = [ran.dead(api) for _ in range(2)]
    answer = carried_out(api, REPLAY, {})
    began = bulk_operations.read("replay", "acme", answer.body["operation_id"])
    assert began is not None

    dead_letters.replay_step(began)
    dead_letters.replay_step(began)
    bulk_operations.step()

    assert len(replays(api)) == len(ids)


def test_what_died_after_the_plan_is_not_in_it(api: Api) -> None:
    ran.dead(api)
    plan = api.call(PURGE, {})
    api.now_ms += 1
    later = ran.dead(api)

    answer = api.call(f"{PURGE}?plan_token={plan.body['plan_token']}", {})
    bulk_operations.step()

    assert answer.status == 202
    assert listed(api) == [later]


def test_a_plan_holds_what_died_in_its_own_second(api: Api) -> None:
    api.now_ms += 400
    ran.dead(api)
    api.now_ms += 400

    plan = api.call(PURGE, {}).body

    assert plan["effects"]["runs"] == 1
    assert plan["expires_at"] == "2026-11-18T12:10:00.800Z"
    assert api.call(f"{PURGE}?plan_token={plan['plan_token']}", {}).status == 202


def test_a_plan_for_another_world_or_another_request_is_stale(api: Api) -> None:
    run_id = ran.dead(api)
    token = api.call(PURGE, {}).body["plan_token"]
    other = api.call(f"{PURGE}?plan_token={token}", {"reason": "permanent"})
    api.call(f"POST /v1/runs/{run_id}/replay")

    stale = api.call(f"{PURGE}?plan_token={token}", {})

    assert [other.body["code"], stale.body["code"]] == ["plan_stale", "plan_stale"]


def test_a_purge_drops_what_was_given_and_came_of_it_and_keeps_the_outcome(api: Api) -> None:
    ran.triggered(api)
    run_id = api.call("POST /v1/schedules/report/trigger", {"payload": {"secret": 1}}).body[
        "run_id"
    ]
    ran.started(run_id)
    ran.settled(run_id, "dead", "permanent", error=error_of("OSError", "secret"), result={"a": 1})

    carried_out(api, PURGE, {"reason": "permanent"})
    assert bulk_operations.step()["purged"] == 1

    shown = api.call(f"GET /v1/runs/{run_id}").body
    assert (shown["status"], shown["reason"]) == ("dead", "permanent")
    assert (shown["payload"], shown["result"], shown["error"]) == (None, None, None)
    assert shown["purged_at"] == "2026-11-18T12:00:00.000Z"
    assert listed(api) == []
    again = api.call(f"POST /v1/runs/{run_id}/replay")
    assert (again.status, again.body["code"]) == (409, "not_dead")


def test_an_operation_is_stopped_and_stays_stopped(api: Api) -> None:
    for _ in range(3):
        ran.dead(api)
    operation = carried_out(api, PURGE, {"rate_per_min": 1}).body["operation_id"]
    bulk_operations.step()

    stopped = api.call(f"POST /v1/dead-letters/operations/{operation}/cancel")
    api.now_ms += 60_000

    assert (stopped.status, stopped.body["status"], stopped.body["done"]) == (200, "cancelled", 1)
    assert bulk_operations.step() == {}
    assert len(listed(api)) == 2
    (found,) = api.call("GET /v1/dead-letters/operations").body["data"]
    assert found["operation_id"] == operation
    over = carried_out(api, PURGE, {}).body["operation_id"]
    bulk_operations.step()
    late = api.call(f"POST /v1/dead-letters/operations/{over}/cancel")
    assert (late.status, late.body["code"]) == (409, "already_finished")


def test_another_tenant_sees_and_moves_none_of_it(api: Api) -> None:
    ran.dead(api)
    operation = carried_out(api, PURGE, {"rate_per_min": 1}).body["operation_id"]
    other = api.key("admin", "other")

    for route in ("GET /v1/dead-letters", "GET /v1/dead-letters/groups"):
        assert api.call(route, key=other).body["data"] == []
    assert api.call(REPLAY, {}, key=other).body["effects"]["runs"] == 0
    for act in (f"GET {{}}/{operation}", f"POST {{}}/{operation}/cancel"):
        answer = api.call(act.format("/v1/dead-letters/operations"), key=other)
        assert (answer.status, answer.body["code"]) == (404, "not_found")


def test_of_a_time_to_come_none_is_meant(api: Api) -> None:
    ran.dead(api)

    for route in (REPLAY, PURGE):
        assert api.call(route, {"from": "2027-01-01T00:00:00Z"}).body["effects"]["runs"] == 0


@pytest.mark.parametrize(
    "body",
    [
        {"from": "yesterday"},
        {"from": "2026-11-02T00:00:00Z", "to": "2026-11-01T00:00:00Z"},
        {"rate_per_min": 0},
        {"status": "dead"},
    ],
)
def test_what_cannot_be_meant_is_refused(api: Api, body: dict[str, Any]) -> None:
    assert api.call(REPLAY, body).status in (400, 422)


@pytest.mark.parametrize("token", ["0", "fff.x", "ffffffffffff.x", "-1", ""])
@pytest.mark.parametrize("dry_run", ["true", "false"])
def test_a_token_that_nobody_made_is_no_fault_of_ours(api: Api, token: str, dry_run: str) -> None:
    answer = api.call(f"{PURGE}?dry_run={dry_run}&plan_token={token}", {})

    assert (answer.status, answer.body.get("code")) in {(200, None), (409, "plan_stale")}
