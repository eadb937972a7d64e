"""A run shown, cancelled and run again; a foreign one is as good as none."""

from __future__ import annotations

from dataclasses import replace

import pytest

from onthedot.records.runs import run_writes
from onthedot.records.runs.run_status import Reason, Status
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import parse_nominal
from onthedot.store import clock, conditional_writer
from onthedot.store.tasks import read as known
from onthedot.targets.attempt_outcome import Again, after, error_of
from onthedot.work.gates import tenant_line
from tests.api import ran
from tests.api.kit import Api


def task_of(run_id: str) -> Task:
    found = known(run_id.partition(".")[0])
    assert found is not None
    return found.task


def test_a_run_is_one_call_away_and_shows_its_newest_attempt(api: Api) -> None:
    run_id = ran.triggered(api, payload={"region": "eu"})
    api.now_ms += 250
    ran.started(run_id, log="2026/11/18/[$LATEST]1")
    api.now_ms += 1_840
    ran.settled(run_id, "succeeded", result={"rows": 3})
    api.warm()

    shown = api.call(f"GET /v1/runs/{run_id}")

    assert api.trips() == 1
    assert shown.body["lag_ms"] == 250
    assert shown.body["result"] == {"rows": 3}
    assert shown.body["completion"] == "completed"
    (attempt,) = shown.body["attempts"]
    assert (attempt["attempt"], attempt["outcome"], attempt["duration_ms"]) == (
        1,
        "succeeded",
        1840,
    )
    assert attempt["log"]["stream"] == "2026/11/18/[$LATEST]1"


def test_lateness_is_that_of_the_first_attempt_whatever_was_retried(api: Api) -> None:
    run_id = ran.triggered(api)
    api.now_ms += 100
    begun = ran.started(run_id)
    answer = Again(Reason.FAILED, error_of("OSError", "no route"), after_sec=60)
    life = after(begun.life, task_of(run_id), answer, now_ms=api.now_ms, fraction=0.5)
    conditional_writer.write_one(run_writes.settle(begun, life, now_ms=api.now_ms))

    retrying = api.call(f"GET /v1/runs/{run_id}").body
    assert retrying["status"] == "retrying"
    assert retrying["retry_at"] == "2026-11-18T12:01:00.100Z"
    assert retrying["due_at"] == "2026-11-18T12:00:00.000Z"
    assert retrying["lag_ms"] == 100
    assert [one["outcome"] for one in retrying["attempts"]] == ["failed"]

    api.now_ms += 60_000
    ran.started(run_id)
    again = api.call(f"GET /v1/runs/{run_id}").body
    assert again["lag_ms"] == 100
    assert [one["outcome"] for one in again["attempts"]] == ["failed", None]


def test_a_slot_shows_the_wall_clock_of_its_schedule_and_what_is_to_be_said_of_it(api: Api) -> None:
    api.now_ms = clock_ms("2027-03-14T06:59:00Z")
    task = api.schedule(cron="30 2 * * *", timezone="America/New_York")

    path = f"GET /v1/schedules/{task['task_id']}/runs?status=claimed"
    (run,) = api.call(path).body["data"]
    shown = api.call(f"GET /v1/runs/{run['run_id']}").body

    assert shown["local"] == "Sun 2027-03-14 03:00 EDT"
    assert shown["note"] == "02:30 does not exist on this day; fires at 03:00 EDT."


def test_what_waits_is_shown_so_with_one_trip_more(api: Api) -> None:
    run_id = ran.triggered(api)
    api.now_ms += 1_000
    api.warm()
    assert api.call(f"GET /v1/runs/{run_id}").body["status"] == "claimed"
    assert api.trips() == 2
    tenant_line.join([ran.read(run_id)])
    shown = api.call(f"GET /v1/runs/{run_id}").body

    assert (shown["status"], shown["reason"]) == ("waiting", "tenant")
    ended = api.call(f"POST /v1/runs/{run_id}/cancel")
    assert (ended.status, ended.body["status"]) == (200, "cancelled")


def test_lists_tell_what_waits_from_what_was_only_claimed(api: Api) -> None:
    first, second = ran.triggered(api), ran.triggered(api)
    task_id = first.partition(".")[0]
    api.now_ms += 1_000
    tenant_line.join([ran.read(first)])
    path = f"GET /v1/schedules/{task_id}/runs"

    def found(query: str) -> list[tuple[str, str, str | None]]:
        data = api.call(f"{path}{query}").body["data"]
        return [(run["run_id"], run["status"], run["reason"]) for run in data]

    assert sorted(found("")) == sorted([(first, "waiting", "tenant"), (second, "claimed", None)])
    assert found("?status=waiting") == [(first, "waiting", "tenant")]
    assert found("?status=claimed") == [(second, "claimed", None)]
    assert len(found("?status=open")) == 2
    recent = api.call("GET /v1/runs").body["data"]
    assert {run["run_id"]: run["status"] for run in recent} == {
        first: "waiting",
        second: "claimed",
    }


def clock_ms(text: str) -> int:
    return parse_nominal(text) * 1000


def test_what_has_not_started_is_cancelled_at_once(api: Api) -> None:
    run_id = ran.triggered(api)

    answer = api.call(f"POST /v1/runs/{run_id}/cancel")

    assert (answer.status, answer.body["status"], answer.body["reason"]) == (
        200,
        "cancelled",
        "user",
    )
    assert answer.body["cancelled_by"].startswith("key_")
    again = api.call(f"POST /v1/runs/{run_id}/cancel")
    assert (again.status, again.body["code"]) == (409, "already_finished")


def test_what_runs_is_asked_to_stop(api: Api) -> None:
    run_id = ran.triggered(api)
    ran.started(run_id)

    answer = api.call(f"POST /v1/runs/{run_id}/cancel")

    assert (answer.status, answer.body["status"]) == (202, "running")
    assert answer.body["cancel_requested_at"] == "2026-11-18T12:00:00.000Z"
    assert ran.read(run_id).cancel_ms == api.now_ms


def test_a_replay_is_a_new_run_with_the_old_ones_payload_changed_in_part(api: Api) -> None:
    ran.triggered(api, payload={"region": "eu", "full": True})
    run_id = ran.dead(api)

    answer = api.call(f"POST /v1/runs/{run_id}/replay", {"payload_patch": {"full": None, "n": 1}})

    assert answer.status == 201
    # The run with its task; payload, manifest, run, the mark on the old one, the trail.
    assert api.trips() == 6
    assert (answer.body["origin"], answer.body["replay_of"]) == ("replay", run_id)
    assert answer.body["payload"] == {"region": "eu", "n": 1}
    assert answer.headers["location"] == f"/v1/runs/{answer.body['run_id']}"
    old = api.call(f"GET /v1/runs/{run_id}").body
    assert (old["status"], old["replayed_as"]) == ("dead", answer.body["run_id"])
    assert old["replayed_at"] == "2026-11-18T12:00:00.000Z"
    assert old["replayed_by"].startswith("key_")


def test_a_replay_of_a_replay_keeps_its_payload(api: Api) -> None:
    first = ran.dead(api)
    second = api.call(f"POST /v1/runs/{first}/replay", {"payload": {"own": 1}}).body["run_id"]
    ran.started(second)
    ran.settled(second, "succeeded")

    third = api.call(f"POST /v1/runs/{second}/replay").body

    assert third["payload"] == {"own": 1}
    assert api.call(f"GET /v1/runs/{third['run_id']}").body["payload"] == {"own": 1}


def test_what_is_open_is_not_run_again(api: Api) -> None:
    run_id = ran.triggered(api)

    answer = api.call(f"POST /v1/runs/{run_id}/replay")

    assert (answer.status, answer.body["code"]) == (409, "not_dead")
    assert "claimed" in answer.body["detail"]


def test_two_ways_to_give_a_payload_exclude_one_another(api: Api) -> None:
    run_id = ran.dead(api)

    answer = api.call(f"POST /v1/runs/{run_id}/replay", {"payload": 1, "payload_patch": {}})

    assert (answer.status, answer.body["code"]) == (422, "invalid_field")


@pytest.mark.parametrize("route", ["GET {}", "POST {}/cancel", "POST {}/replay", "GET {}/logs"])
def test_a_foreign_run_and_a_made_up_one_are_not_there(api: Api, route: str) -> None:
    run_id = ran.triggered(api)
    other = api.key("admin", "other")

    for named in (run_id, "sch_NONE.20261118T120000Z", "junk", ".20261118T120000Z", "a.b"):
        answer = api.call(route.format(f"/v1/runs/{named}"), key=other)

        assert (answer.status, answer.body["code"]) == (404, "not_found"), named


def test_what_is_written_needs_a_key_that_writes(api: Api) -> None:
    run_id = ran.triggered(api)

    for act in ("cancel", "replay"):
        answer = api.call(f"POST /v1/runs/{run_id}/{act}", key=api.key("read"))
        assert answer.status == 403


def test_an_attempt_that_took_too_long_or_was_lost_says_so(api: Api) -> None:
    late, lost = ran.triggered(api), ran.triggered(api)
    for run_id in (late, lost):
        ran.started(run_id)
    ran.settled(late, "dead", "attempts_exhausted", error=error_of("TimedOut", "too long"))
    seen = replace(ran.read(lost), attention="")
    write = run_writes.settle_unstarted(
        seen, Status.DEAD, Reason.ATTEMPTS_EXHAUSTED, now_ms=clock.now_ms()
    )
    conditional_writer.write_one(write)

    outcomes = [
        api.call(f"GET /v1/runs/{run_id}").body["attempts"][0]["outcome"] for run_id in (late, lost)
    ]
    assert outcomes == ["timed_out", "lost"]
