"""Leases: what outside workers fetch, keep and settle, and what others may not."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.registry.run_cancel import cancel
from tests.api.kit import Answer, Api

PULLED = {"target": {"type": "pull", "queue": "gpu"}, "payload": {"of": "{{name}}"}}
LEASE = {"queue": "gpu", "worker": "box-1"}


@pytest.fixture
def run_id(api: Api) -> str:
    """Returns a run that waits for a worker."""
    return triggered(api, "train")


def triggered(api: Api, name: str, **fields: Any) -> str:
    """Registers a schedule for outside workers and runs it once, now."""
    api.schedule(name, **PULLED, **fields)
    answer = api.call(f"POST /v1/schedules/{name}/trigger", {})
    assert answer.status == 202, answer.text
    return str(answer.body["run_id"])


def taken(api: Api, **more: Any) -> list[Any]:
    """Returns what a worker of the tenant gets."""
    answer = api.call("POST /v1/leases", LEASE | more, key=api.key("worker"))
    assert answer.status == 200, answer.text
    return list(answer.body["data"])


def said(api: Api, run_id: str, what: str, **body: Any) -> Answer:
    """Returns a worker's word of its first attempt."""
    return api.call(f"POST /v1/runs/{run_id}/{what}", {"attempt": 1} | body, key=api.key("worker"))


def shown(api: Api, run_id: str) -> Any:
    return api.call(f"GET /v1/runs/{run_id}").body


def test_a_worker_fetches_a_run_with_all_it_needs_to_know(api: Api, run_id: str) -> None:
    (lease,) = taken(api)

    assert lease["run"]["run_id"] == run_id
    assert (lease["run"]["status"], lease["run"]["name"]) == ("running", "train")
    assert lease["run"]["payload"] == {"of": "train"}
    assert lease["attempt"] == 1
    assert lease["lease_until"] == "2026-11-18T12:01:00.000Z"
    assert lease["deadline"] == "2026-11-18T12:05:00.000Z"
    assert lease["checkpoint"] is None


def test_a_run_is_fetched_once_and_by_its_own_tenant_only(api: Api, run_id: str) -> None:
    foreign = api.call("POST /v1/leases", LEASE, key=api.key("worker", "other"))
    other_queue = taken(api, queue="cpu")
    (lease,) = taken(api)

    assert foreign.body["data"] == other_queue == []
    assert lease["run"]["run_id"] == run_id
    assert taken(api) == []


def test_the_most_urgent_comes_first_and_no_more_than_are_wanted(api: Api) -> None:
    late = [triggered(api, f"some-{number}", priority=3) for number in range(3)]
    first = triggered(api, "urgent", priority=1)

    names = [lease["run"]["run_id"] for lease in taken(api, max=2)]
    rest = [lease["run"]["run_id"] for lease in taken(api, max=10)]

    assert names[0] == first
    assert len(names) == 2
    assert sorted(names + rest) == sorted([first, *late])


def test_what_waits_at_a_gate_hides_nothing_behind_it(api: Api) -> None:
    key = {"key": "one at a time", "max_running": 1}
    crowd = {"overlap": "allow", "max_concurrent": None, "concurrency_key": key, "priority": 1}
    triggered(api, "crowd", **crowd)
    for _ in range(34):
        api.call("POST /v1/schedules/crowd/trigger", {})
    behind = triggered(api, "behind", priority=3)

    names = [lease["run"]["name"] for lease in taken(api, max=10)]

    assert names == ["crowd", "behind"]
    assert behind


def test_a_heartbeat_keeps_the_lease_and_shows_progress(api: Api, run_id: str) -> None:
    taken(api)
    api.now_ms += 30_000

    kept = said(api, run_id, "heartbeat", progress={"epoch": 3}, lease_sec=120)

    assert kept.body == {"lease_until": "2026-11-18T12:02:30.000Z", "cancel_requested": False}
    assert shown(api, run_id)["lease_until"] == "2026-11-18T12:02:30.000Z"


def test_the_log_of_an_outside_worker_is_not_sought_among_the_functions_logs(
    api: Api, run_id: str
) -> None:
    api.settings.setenv("WORK_LOG_GROUP", "/aws/lambda/work")
    api.settings.setenv("AWS_LAMBDA_LOG_STREAM_NAME", "stream-of-the-api")
    taken(api)

    said_of_it = api.call(f"GET /v1/runs/{run_id}/logs").body

    assert shown(api, run_id)["attempts"][0]["log"] is None
    assert said_of_it["note"].startswith("No log is kept for its worker")


def test_no_lease_reaches_beyond_the_attempts_own_time(api: Api, run_id: str) -> None:
    taken(api)
    api.now_ms += 50_000

    kept = said(api, run_id, "heartbeat", lease_sec=3_600)

    assert kept.body["lease_until"] == "2026-11-18T12:05:00.000Z"


def test_an_attempt_that_is_out_of_time_is_over(api: Api, run_id: str) -> None:
    taken(api, lease_sec=3_600)
    api.now_ms += 300_000

    assert said(api, run_id, "heartbeat").body["code"] == "lease_lost"
    assert (shown(api, run_id)["status"], shown(api, run_id)["reason"]) == ("retrying", "timed_out")


def test_an_attempt_that_was_to_stop_and_is_out_of_time_has_stopped(api: Api, run_id: str) -> None:
    taken(api, lease_sec=3_600)
    cancel(run_id)
    api.now_ms += 300_000

    assert said(api, run_id, "heartbeat").body["code"] == "lease_lost"
    assert (shown(api, run_id)["status"], shown(api, run_id)["reason"]) == ("cancelled", "user")


def test_what_the_worker_completes_has_succeeded_and_saying_so_twice_is_once(
    api: Api, run_id: str
) -> None:
    taken(api)

    first = said(api, run_id, "complete", result={"loss": 0.1})
    again = said(api, run_id, "complete", result={"loss": 0.9})
    contrary = said(api, run_id, "fail", error="no")

    assert (first.status, again.status) == (204, 204)
    assert contrary.body["code"] == "lease_lost"
    assert (shown(api, run_id)["status"], shown(api, run_id)["result"]) == (
        "succeeded",
        {"loss": 0.1},
    )


def test_a_worker_that_finds_nothing_to_do_skips_the_run_and_no_other_word_counts(
    api: Api, run_id: str
) -> None:
    taken(api)

    first = said(api, run_id, "complete", skipped="a holiday")
    again = said(api, run_id, "complete", skipped="a holiday")
    contrary = said(api, run_id, "fail", error="no")

    assert (first.status, again.status) == (204, 204)
    assert contrary.body["code"] == "lease_lost"
    run = shown(api, run_id)
    assert (run["status"], run["reason"], run["note"]) == ("skipped", "handler", "a holiday")


@pytest.mark.parametrize("other", [{"permanent": True}, {"release": True}])
def test_another_word_for_an_attempt_that_has_failed_is_refused(
    api: Api, run_id: str, other: dict[str, Any]
) -> None:
    taken(api)

    first = said(api, run_id, "fail", error="no")
    again = said(api, run_id, "fail", error="no")
    contrary = said(api, run_id, "fail", error="no", **other)

    assert (first.status, again.status) == (204, 204)
    assert contrary.body["code"] == "lease_lost"
    assert shown(api, run_id)["reason"] == "failed"


def test_a_failure_is_tried_again_when_the_worker_says(api: Api, run_id: str) -> None:
    taken(api)
    said(api, run_id, "fail", error={"type": "Oom", "message": "no memory"}, retry_in_sec=60)

    assert shown(api, run_id)["status"] == "retrying"
    assert taken(api) == []
    api.now_ms += 60_000
    (lease,) = taken(api)
    assert lease["attempt"] == 2
    assert lease["run"]["attempts"][0]["error"]["type"] == "Oom"


def test_a_run_that_is_given_back_goes_on_from_its_checkpoint_and_loses_no_attempt(
    api: Api, run_id: str
) -> None:
    taken(api)
    said(api, run_id, "fail", release=True, retry_in_sec=0, checkpoint={"step": 7})
    api.now_ms += 1_000

    (lease,) = taken(api)

    assert lease["checkpoint"] == {"step": 7}
    assert lease["run"]["attempts"][0]["outcome"] == "released"


def test_a_permanent_failure_is_the_end(api: Api, run_id: str) -> None:
    taken(api)
    said(api, run_id, "fail", error="bad data", permanent=True)

    assert (shown(api, run_id)["status"], shown(api, run_id)["reason"]) == ("dead", "permanent")


def test_a_worker_that_is_gone_loses_its_run_to_another(api: Api, run_id: str) -> None:
    taken(api)
    api.now_ms += 60_000 + 5_001

    (lease,) = taken(api, worker="box-2")

    assert lease["attempt"] == 2
    assert said(api, run_id, "heartbeat").body["code"] == "lease_lost"
    assert said(api, run_id, "complete").body["code"] == "lease_lost"
    assert said(api, run_id, "complete", attempt=2).status == 204


def test_a_request_to_cancel_reaches_the_worker_and_its_stopping_is_a_cancel(
    api: Api, run_id: str
) -> None:
    taken(api)
    cancel(run_id)

    assert said(api, run_id, "heartbeat").body["cancel_requested"]
    said(api, run_id, "fail", error="stopped as it was asked to")
    assert (shown(api, run_id)["status"], shown(api, run_id)["reason"]) == ("cancelled", "user")


@pytest.mark.parametrize("what", ["heartbeat", "complete", "fail"])
def test_what_is_nobodys_is_not_found(api: Api, run_id: str, what: str) -> None:
    taken(api)
    body = {"attempt": 1}

    foreign = api.call(f"POST /v1/runs/{run_id}/{what}", body, key=api.key("worker", "other"))
    nonsense = api.call(f"POST /v1/runs/nonsense/{what}", body, key=api.key("worker"))
    unknown = api.call(f"POST /v1/runs/sch_X.20261118T120000Z/{what}", body, key=api.key("worker"))

    assert [each.status for each in (foreign, nonsense, unknown)] == [404] * 3


def test_a_run_that_a_worker_of_ours_has_is_not_for_others_to_settle(api: Api) -> None:
    api.schedule("own", target={"type": "python", "handler": "hello"})
    run = api.call("POST /v1/schedules/own/trigger", {}).body["run_id"]

    words = [said(api, run, what) for what in ("complete", "fail", "heartbeat")]

    assert [each.body["code"] for each in words] == ["lease_lost"] * 3


@pytest.mark.parametrize(("what", "field"), [("heartbeat", "progress"), ("fail", "checkpoint")])
def test_what_a_row_has_no_room_for_is_refused(
    api: Api, run_id: str, what: str, field: str
) -> None:
    taken(api)

    answer = said(api, run_id, what, **{field: "x" * 5_000})

    assert answer.status == 422
    assert answer.body["errors"][0]["pointer"] == f"/{field}"


def test_only_workers_and_admins_may_lease(api: Api) -> None:
    assert api.call("POST /v1/leases", LEASE, key=api.key("read")).status == 403
    assert api.call("POST /v1/leases", LEASE, key=api.key("write")).status == 403
    assert api.call("POST /v1/leases", LEASE, key=api.key("admin")).status == 200


@pytest.mark.parametrize(
    "wrong", [{"queue": "Not OK"}, {"max": 11}, {"lease_sec": 5}, {"wait_sec": 21}, {"more": 1}]
)
def test_a_request_that_cannot_be_is_refused(api: Api, wrong: dict[str, Any]) -> None:
    assert api.call("POST /v1/leases", LEASE | wrong, key=api.key("worker")).status in (400, 422)
