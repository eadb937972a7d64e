"""The deployed stack, as its users meet it: over HTTP, with the rule, the queue and the worker."""

from __future__ import annotations

import time
from functools import partial

import pytest

from bench import accounts
from onthedot.local.caller import Caller
from onthedot.schedule.time.instants import nominal
from tests.e2e.kit import Local, until

# One processor may be busy with other tests; a late start is late, and never early.
LATE_MS_MAX = 10_000


def test_nobody_comes_in_without_a_key(local: Local) -> None:
    stranger = Caller(local.stack.door.port)

    assert stranger.ask("GET", "/v1/health")[0] == 200
    assert stranger.ask("GET", "/v1/schedules")[0] == 401


def test_a_schedule_registered_over_http_fires_at_its_seconds_and_shows_its_history(
    local: Local,
) -> None:
    first = int(time.time()) + 4
    bounds = {"start_at": nominal(first), "end_at": nominal(first + 3)}

    task_id = local.register("seconds", cron="* * * * * *", payload={"who": "you"}, **bounds)
    runs = until(
        lambda: local.runs(task_id),
        lambda seen: [run["status"] for run in seen] == ["succeeded"] * 4,
    )

    slots = sorted(run["scheduled_for"] for run in runs)
    assert slots == [nominal(first + second) for second in range(4)]
    newest = local.run(runs[0]["run_id"])
    assert newest["result"] == {"greeting": "Hello, you!"}
    assert newest["attempt"] == 1
    assert 0 <= newest["lag_ms"] < LATE_MS_MAX


def test_a_trigger_runs_at_once(local: Local) -> None:
    task_id = local.register("yearly", cron="0 0 1 1 *")

    run = local.settled(local.trigger(task_id, payload={"who": "trigger"}))

    assert (run["status"], run["origin"]) == ("succeeded", "manual")
    assert run["result"] == {"greeting": "Hello, trigger!"}


def test_what_a_handler_logs_is_shown_seconds_later(local: Local) -> None:
    run = local.settled(local.trigger(local.register("logged", cron="0 0 1 1 *")))

    status, answer = local.caller.ask("GET", f"/v1/runs/{run['run_id']}/logs")

    (line,) = answer["data"]
    assert status == 200
    assert (line["level"], line["message"], line["who"]) == ("INFO", "greeting", "world")
    assert (line["run_id"], line["attempt"]) == (run["run_id"], 1)


@pytest.mark.usefixtures("adapters")
def test_the_rule_dispatches_within_a_minute_what_no_request_did(local: Local) -> None:
    seen = until(partial(accounts.read, local.left_to_the_rule), lambda seen: seen.settled, 90)

    assert (seen.missing, seen.again) == (set(), [])


def test_a_start_gives_no_worker_work_before_the_api_answers(local: Local) -> None:
    task_id = local.register("due-while-down", cron="0 0 1 1 *")
    soon = nominal(int(time.time()) + 2)
    run_id = local.trigger(task_id, due_at=soon)

    local.stack.stop()
    time.sleep(2)
    local.stack.stand_up()
    api, workers = local.processes("ApiFunction"), local.processes("WorkFunction")
    before = local.run(run_id)
    local.stack.go_on()

    assert (bool(api), workers) == (True, [])
    assert before["status"] == "claimed"
    assert local.settled(run_id)["status"] == "succeeded"


def test_a_stack_started_again_has_its_tasks_runs_and_large_payloads(local: Local) -> None:
    who = "x" * 100_000
    task_id = local.register("large-and-kept", cron="0 0 1 1 *", payload={"who": who})
    before = local.settled(local.trigger(task_id))

    local.stack.stop()
    status, problem = local.caller.ask("GET", f"/v1/schedules/{task_id}")
    local.stack.start()
    awake = local.processes("ApiFunction")

    assert awake
    assert (status, problem["code"]) == (503, "unavailable")
    assert local.run(before["run_id"])["status"] == "succeeded"
    again = local.settled(local.trigger(task_id))
    assert (again["status"], again["payload"]) == ("succeeded", {"who": who})
