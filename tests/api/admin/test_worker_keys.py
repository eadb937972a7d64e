"""Keys of workers for named queues: no lease and no word reaches the runs of another queue."""

from __future__ import annotations

from typing import Any

import pytest

from tests.api.kit import Answer, Api

GPU = {"target": {"type": "pull", "queue": "gpu"}}
CALLBACK = {"type": "http", "url": "https://example.com/hook", "complete": "callback"}


def key(api: Api, *queues: str) -> str:
    body = {"role": "worker", "queues": list(queues)}
    made = api.call("POST /v1/keys", body)
    assert made.status == 201, made.text
    assert made.body["queues"] == list(queues)
    return str(made.body["key"])


@pytest.fixture
def run_id(api: Api) -> str:
    """Returns a run of the queue gpu, leased by a worker for all queues."""
    api.schedule("train", **GPU)
    made = api.call("POST /v1/schedules/train/trigger", {}).body
    leased = api.call("POST /v1/leases", {"queue": "gpu"}, key=api.key("worker")).body["data"]
    assert [one["run"]["run_id"] for one in leased] == [made["run_id"]]
    return str(made["run_id"])


def test_the_trail_says_for_which_queues_a_key_was_made(api: Api) -> None:
    key(api, "gpu", "cpu")

    told = api.call("GET /v1/audit?what=key.created").body["data"]
    assert [one["after"].get("queues") for one in told if one["after"]["role"] == "worker"] == [
        ["gpu", "cpu"]
    ]


def words(api: Api, run_id: str, key: str) -> list[Answer]:
    """Returns all that a worker may say and ask of a run, the end last."""
    attempt: dict[str, Any] = {"attempt": 1}
    run = f"/v1/runs/{run_id}"
    return [
        api.call(f"POST {run}/heartbeat", attempt, key=key),
        api.call(f"POST {run}/once", attempt | {"key": "a", "value": 1}, key=key),
        api.call(f"GET {run}/previous-success", key=key),
        api.call(f"POST {run}/fail", attempt | {"retry_in_sec": 5}, key=key),
        api.call(f"POST {run}/complete", attempt, key=key),
    ]


def test_a_key_for_named_queues_leases_from_no_other(api: Api) -> None:
    api.schedule("train", **GPU)
    api.call("POST /v1/schedules/train/trigger", {})
    emails, both = key(api, "emails"), key(api, "emails", "gpu")

    refused = api.call("POST /v1/leases", {"queue": "gpu"}, key=emails)
    taken = api.call("POST /v1/leases", {"queue": "gpu"}, key=both)

    assert (refused.status, refused.body["code"]) == (403, "forbidden")
    assert "not for the queue 'gpu': expected one of emails" in refused.body["detail"]
    assert len(taken.body["data"]) == 1


def test_a_run_of_another_queue_is_not_there_for_it(api: Api, run_id: str) -> None:
    for answer in words(api, run_id, key(api, "emails")):
        assert (answer.status, answer.body["code"]) == (404, "not_found")
    assert api.call(f"GET /v1/runs/{run_id}").body["status"] == "running"


def test_a_run_of_its_own_queue_is(api: Api, run_id: str) -> None:
    *asked, failed, _ = words(api, run_id, key(api, "emails", "gpu"))

    assert [answer.status for answer in asked] == [200, 200, 200]
    assert failed.status == 204


def test_a_key_for_queues_completes_no_callbacks(api: Api) -> None:
    api.schedule("hook", target=CALLBACK)
    run_id = api.call("POST /v1/schedules/hook/trigger", {}).body["run_id"]

    assert {answer.status for answer in words(api, run_id, key(api, "gpu"))} == {404}


def test_without_queues_a_worker_has_them_all_and_that_is_shown(api: Api, run_id: str) -> None:
    made = api.call("POST /v1/keys", {"role": "worker"}).body

    assert made["queues"] is None
    assert words(api, run_id, made["key"])[0].status == 200
    key(api, "gpu")
    shown = [each["queues"] for each in api.call("GET /v1/keys").body["data"]]
    assert shown.count(["gpu"]) == 1
    assert {None} == {each for each in shown if each != ["gpu"]}


@pytest.mark.parametrize("role", ["read", "write", "admin"])
def test_queues_are_for_workers_only(api: Api, role: str) -> None:
    answer = api.call("POST /v1/keys", {"role": role, "queues": ["gpu"]})

    assert (answer.status, answer.body["errors"][0]["pointer"]) == (422, "/queues")


@pytest.mark.parametrize("queues", [[], ["UPPER"], "gpu", [""], ["a"] * 21])
def test_what_is_no_list_of_queues_is_refused(api: Api, queues: object) -> None:
    answer = api.call("POST /v1/keys", {"role": "worker", "queues": queues})

    assert (answer.status, answer.body["code"]) == (422, "invalid_field")


def test_the_trail_and_a_plan_name_the_queues(api: Api) -> None:
    body = {"role": "worker", "queues": ["gpu"]}
    plan = api.call("POST /v1/keys?dry_run=true", body).body
    key(api, "gpu")

    (newest,) = api.call("GET /v1/audit?limit=1").body["data"]
    assert plan["effects"]["key"]["queues"] == ["gpu"]
    assert newest["after"]["queues"] == ["gpu"]
