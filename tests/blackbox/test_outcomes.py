"""How a call ends, and what comes of it: retries, deaths, timeouts, callbacks, cancellations."""

from __future__ import annotations

from threading import Event
from typing import Any

import pytest

from tests.blackbox.receiver import Reply
from tests.blackbox.user import HELLO, YEARLY, User, until
from tests.blackbox.world import World

FAST = {"backoff": "fixed", "base_sec": 2, "cap_sec": 2, "jitter": "none"}
WAIT = {"type": "python", "handler": "wait"}


def ended(user: User, target: dict[str, Any], **fields: object) -> dict[str, Any]:
    """Returns the run of a task that calls this target now."""
    made = user.task(target=target, **{"retry": FAST, "max_attempts": 2, **fields})
    return user.run(user.ran(made["task_id"])["run_id"])


def test_a_failed_attempt_is_tried_again_after_its_backoff(world: World) -> None:
    user, hook = world.tenant(), world.hook(Reply(500), Reply(502), Reply())

    run = ended(user, hook.target, max_attempts=3)

    assert (run["status"], run["attempt"]) == ("succeeded", 3)
    assert [each["outcome"] for each in run["attempts"]] == ["failed", "failed", "succeeded"]
    first, second, third = (call.at for call in hook.calls)
    assert second - first >= 2
    assert third - second >= 2
    assert {call.run_id for call in hook.calls} == {run["run_id"]}
    assert [call.headers["onthedot-attempt"] for call in hook.calls] == ["1/3", "2/3", "3/3"]


def test_attempts_that_are_used_up_are_a_death(world: World) -> None:
    user, hook = world.tenant(), world.hook(Reply(500, b"no room"))

    run = ended(user, hook.target)

    assert (run["status"], run["reason"]) == ("dead", "attempts_exhausted")
    assert len(hook.calls) == 2
    assert run["error"]["fingerprint"]


@pytest.mark.parametrize("status", [429, 503])
def test_the_receivers_retry_after_is_obeyed(world: World, status: int) -> None:
    user, hook = world.tenant(), world.hook(Reply(status, headers={"Retry-After": "9"}), Reply())

    run = ended(user, hook.target)

    assert run["status"] == "succeeded"
    assert hook.calls[1].at - hook.calls[0].at >= 8.5


@pytest.mark.parametrize(
    "status", [400, 401, 403, 405, 406, 410, 411, 413, 414, 415, 422, 431, 451, 501, 302]
)
def test_an_answer_that_would_be_the_same_again_is_a_death_at_once(
    world: World, status: int
) -> None:
    user, hook = world.tenant(), world.hook(Reply(status))

    run = ended(user, hook.target)

    assert (run["status"], run["reason"], run["attempt"]) == ("dead", "permanent", 1)
    assert len(hook.calls) == 1


@pytest.mark.parametrize("status", [404, 408, 409, 425, 500, 504])
def test_any_other_answer_is_tried_again(world: World, status: int) -> None:
    user, hook = world.tenant(), world.hook(Reply(status), Reply())

    run = ended(user, hook.target)

    assert (run["status"], run["attempt"]) == ("succeeded", 2)


def test_a_target_says_which_answers_it_expects(world: World) -> None:
    user = world.tenant()
    expected = world.hook(Reply(418, b"I am a teapot"))
    wrong = world.hook(Reply(200, b"state: broken"), Reply(200, b"state: fine"))

    tea = ended(user, {**expected.target, "expect_status": ["418"]})
    fine = ended(user, {**wrong.target, "expect_body": "state: (fine|good)"})

    assert (tea["status"], tea["attempt"]) == ("succeeded", 1)
    assert (fine["status"], fine["attempt"]) == ("succeeded", 2)


def test_redirects_are_followed_where_it_is_asked_for(world: World) -> None:
    user, last = world.tenant(), world.hook(Reply(200, b'"arrived"'))
    first = world.hook(Reply(307, headers={"Location": last.url}))

    run = ended(user, {**first.target, "follow_redirects": True})

    assert run["status"] == "succeeded"
    assert len(last.calls) == 1


def test_a_call_that_takes_too_long_is_timed_out_and_tried_again(world: World) -> None:
    user, hook = world.tenant(), world.hook(Reply(after_sec=20), Reply())

    run = ended(user, hook.target, timeout_sec=3, max_attempts=4)

    assert run["status"] == "succeeded"
    assert run["attempts"][0]["outcome"] == "timed_out"
    assert run["attempts"][0]["duration_ms"] >= 3_000


def test_nobody_listening_is_a_failure(world: World) -> None:
    user = world.tenant()

    run = ended(user, {"type": "http", "url": "http://127.0.0.1:9/nothing"})

    assert (run["status"], run["reason"]) == ("dead", "attempts_exhausted")


def test_an_http_target_is_sent_the_run_the_payload_and_the_trace(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    target = {**hook.target, "method": "PUT", "headers": {"X-Team": "billing"}}

    run = ended(user, target, payload={"order": 77})

    call = hook.calls[0]
    assert (call.method, call.json) == ("PUT", {"order": 77})
    assert call.headers["x-team"] == "billing"
    assert call.headers["webhook-id"] == call.headers["idempotency-key"] == run["run_id"]
    assert call.headers["onthedot-attempt"] == "1/2"
    for name in ("webhook-timestamp", "onthedot-due-at", "traceparent"):
        assert call.headers[name]


def test_a_body_may_be_a_cloud_event(world: World) -> None:
    user, hook = world.tenant(), world.hook()

    run = ended(user, {**hook.target, "body": "cloudevent"}, payload={"order": 77})

    event = hook.calls[0].json
    assert event["specversion"] == "1.0"
    assert run["run_id"] in (event["id"], event.get("subject"))
    assert {"order": 77} in (event["data"], event["data"].get("payload"))


@pytest.mark.parametrize(("word", "status"), [("complete", "succeeded"), ("fail", "dead")])
def test_a_callback_ends_what_was_answered_202(world: World, word: str, status: str) -> None:
    user, hook = world.tenant(), world.hook(Reply(202))
    made = user.task(target={**hook.target, "complete": "callback"}, max_attempts=1)
    call = until(lambda: hook.calls, bool)[0]
    user.at(call.run_id, "awaiting")

    said = {"result": {"n": 1}} if word == "complete" else {"error": "no", "permanent": True}
    worker = user.with_key("worker")
    path = f"/v1/runs/{call.run_id}/{word}"
    worker.said(204, "POST", path, {"attempt": call.attempt, **said})
    run = user.run(user.ran(made["task_id"])["run_id"])

    assert run["status"] == status
    if word == "complete":
        assert run["result"] == {"n": 1}
    stale = worker.ask("POST", f"/v1/runs/{call.run_id}/fail", {"attempt": 9})
    assert stale.refusal == (409, "lease_lost")


def test_a_callback_that_never_comes_times_out(world: World) -> None:
    user, hook = world.tenant(), world.hook(Reply(202))

    run = ended(user, {**hook.target, "complete": "callback"}, timeout_sec=4, max_attempts=1)

    assert run["status"] == "dead"
    assert run["attempts"][0]["outcome"] == "timed_out"


def test_a_run_that_has_not_started_is_cancelled_at_once(world: World) -> None:
    user, hook = world.tenant(), world.hook()
    made = user.task(delay_sec=60, target=hook.target)
    run_id = until(lambda: user.get(f"/v1/tasks/{made['task_id']}")["run"], bool)["run_id"]

    cancelled = user.said(200, "POST", f"/v1/runs/{run_id}/cancel")
    again = user.ask("POST", f"/v1/runs/{run_id}/cancel")

    assert (cancelled["status"], cancelled["reason"]) == ("cancelled", "user")
    assert again.status in {200, 409}
    assert hook.calls == []


def test_a_handler_that_runs_is_asked_to_stop(world: World) -> None:
    user = world.tenant()
    user.schedule("waits", cron=YEARLY, target=WAIT)
    run_id = user.trigger("waits", payload={"seconds": 60})
    user.at(run_id, "running")

    asked = user.said(202, "POST", f"/v1/runs/{run_id}/cancel")
    run = user.settled(run_id)
    late = user.ask("POST", f"/v1/runs/{run_id}/cancel")

    assert asked["cancel_requested_at"]
    assert (run["status"], run["reason"]) == ("cancelled", "user")
    assert late.refusal == (409, "already_finished")


def test_a_call_that_hangs_is_broken_off_when_its_run_is_cancelled(world: World) -> None:
    user, never = world.tenant(), Event()
    hook = world.hook(Reply(once=never))
    user.schedule("hangs", cron=YEARLY, target=hook.target, overlap="cancel_previous")
    first = user.trigger("hangs")
    until(lambda: hook.calls, len)

    second = user.trigger("hangs")
    until(lambda: hook.calls, lambda calls: len(calls) == 2)
    user.said(202, "POST", f"/v1/runs/{second}/cancel")
    ended = [user.settled(run_id) for run_id in (first, second)]
    never.set()

    assert [run["status"] for run in ended] == ["cancelled"] * 2
    assert [run["reason"] for run in ended] == ["previous", "user"]
    assert all(run["note"].endswith("may have acted, and may still be working") for run in ended)


def test_the_lines_of_a_handler_are_shown_seconds_later(world: World) -> None:
    user = world.tenant()
    user.schedule("says-hello", cron=YEARLY, target=HELLO)
    run_id = user.settled(user.trigger("says-hello", payload={"who": "you"}))["run_id"]

    lines = user.get(f"/v1/runs/{run_id}/logs")["data"]

    assert [line["message"] for line in lines] == ["greeting"]
    assert lines[0]["who"] == "you"
    assert user.ask("GET", f"/v1/runs/{run_id}/logs?attempt=7").refusal == (404, "not_found")


def test_a_handler_that_does_not_end_in_time_is_timed_out(world: World) -> None:
    user = world.tenant()

    run = ended(user, WAIT, payload={"seconds": 60}, timeout_sec=3, max_attempts=1)

    assert (run["status"], run["attempts"][0]["outcome"]) == ("dead", "timed_out")


def test_an_unknown_handler_is_warned_of_and_dead_with_the_reason(world: World) -> None:
    user, target = world.tenant(), {"type": "python", "handler": "helo"}

    made = user.schedule("typo", cron=YEARLY, target=target)
    run = ended(user, target)

    (warning,) = (each for each in made["warnings"] if each["code"] == "unknown_handler")
    assert "hello" in warning["detail"]
    assert (run["status"], run["reason"]) == ("dead", "handler_not_found")


def test_a_payload_that_does_not_fit_its_handler_is_dead_with_the_reason(world: World) -> None:
    run = ended(world.tenant(), {"type": "python", "handler": "count"}, payload={"to": 1, "x": 2})

    assert (run["status"], run["reason"]) == ("dead", "payload_unreadable")


def test_what_a_handler_raises_ends_its_run_as_the_docs_say(world: World) -> None:
    user = world.tenant()

    failed = ended(user, {"type": "python", "handler": "count"}, payload={"to": -1})
    skipped = ended(user, {"type": "python", "handler": "weekday_report"})
    counted = ended(user, {"type": "python", "handler": "count"}, payload={"to": 3})

    assert (failed["status"], failed["reason"], failed["attempt"]) == ("dead", "permanent", 1)
    assert "nobody counts to -1" in failed["error"]["message"]
    assert counted["result"] == 3
    if skipped["status"] == "skipped":
        assert (skipped["reason"], skipped["note"]) == (
            "handler",
            "a report belongs to a slot, and this run has none",
        )
    else:
        assert skipped["result"]["invoice"].startswith("invoice of ")


def test_a_handler_that_is_out_of_time_goes_on_where_it_was(world: World) -> None:
    user = world.tenant()
    target = {"type": "python", "handler": "count"}
    payload = {"to": 10**9, "pause_sec": 1}
    fields = {"target": target, "payload": payload, "timeout_sec": 11, "max_attempts": 1}
    where = f"/v1/tasks/{user.task(**fields)['task_id']}"
    run_id = until(lambda: user.get(where)["run"], bool)["run_id"]

    def outcomes() -> list[str]:
        return [each["outcome"] for each in user.run(run_id)["attempts"]]

    seen = until(outcomes, lambda each: each.count("yielded") >= 2)
    user.ask("POST", f"/v1/runs/{run_id}/cancel")
    run = user.settled(run_id)

    assert set(seen[:2]) == {"yielded"}
    assert run["progress"] > 0
    assert run["status"] == "cancelled"


def test_a_long_call_keeps_its_lease_and_ends_once(world: World) -> None:
    user, hook = world.tenant(), world.hook(Reply(after_sec=32))

    run = ended(user, hook.target, timeout_sec=60)

    assert (run["status"], run["attempt"]) == ("succeeded", 1)
    assert len(hook.calls) == 1
    assert run["duration_ms"] >= 32_000
