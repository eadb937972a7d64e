"""What a run shows is what it was given, and a replay gives it again, unless told otherwise."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.targets.attempt_outcome import error_of
from onthedot.upkeep import bulk_operations
from tests.api import ran
from tests.api.kit import Api

OLD = {"type": "http", "url": "https://old.example/report"}
NEW = {"type": "http", "url": "https://new.example/report"}


def died(api: Api) -> str:
    """Returns a run that was given {"order": "OLD"}, died, and whose schedule was edited then."""
    ran.triggered(api, target=OLD, payload={"order": "OLD"})
    run_id = ran.dead(api)
    edited(api, target=NEW, payload={"order": "NEW"})
    return run_id


def edited(api: Api, **fields: Any) -> None:
    assert api.call("PATCH /v1/schedules/report", fields).status == 200


def shown(api: Api, run_id: str) -> Any:
    return api.call(f"GET /v1/runs/{run_id}").body


def test_an_edit_changes_nothing_of_what_was_sent(api: Api) -> None:
    run_id = died(api)
    edited(api, payload={"order": "NEWER"})
    api.warm()

    found = shown(api, run_id)

    assert (found["target"], found["payload"]) == (OLD, {"order": "OLD"})
    assert [each["version"] for each in found["attempts"]] == [1]
    # The row with its task, and what the first edit kept.
    assert api.trips() == 2


def test_a_run_that_has_not_started_shows_what_it_will_be_given(api: Api) -> None:
    run_id = ran.triggered(api, target=OLD, payload={"order": "OLD"})
    edited(api, payload={"order": "NEW"})

    assert shown(api, run_id)["payload"] == {"order": "NEW"}

    ran.started(run_id)
    edited(api, payload={"order": "NEWER"})

    assert shown(api, run_id)["payload"] == {"order": "NEW"}
    assert shown(api, run_id)["attempts"][0]["version"] == 2


def test_a_run_that_never_started_was_given_nothing(api: Api) -> None:
    run_id = ran.triggered(api, payload={"order": 1})
    api.call(f"POST /v1/runs/{run_id}/cancel")

    found = shown(api, run_id)
    assert (found["status"], found["target"], found["payload"]) == ("cancelled", None, None)

    again = api.call(f"POST /v1/runs/{run_id}/replay").body
    assert again["payload"] == {"order": 1}


@pytest.mark.parametrize(
    ("use", "target", "order"),
    [
        (None, NEW, "OLD"),
        ({}, NEW, "OLD"),
        ({"target": "sent"}, OLD, "OLD"),
        ({"payload": "current"}, NEW, "NEW"),
        ({"payload": "current", "target": "sent"}, OLD, "NEW"),
    ],
)
def test_a_replay_uses_what_it_is_told_to(api: Api, use: Any, target: Any, order: str) -> None:
    run_id = died(api)
    body = {} if use is None else {"use": use}

    plan = api.call(f"POST /v1/runs/{run_id}/replay?dry_run=true", body).body["effects"]
    answer = api.call(f"POST /v1/runs/{run_id}/replay", body).body

    assert plan["target"] == target
    assert plan["use"] == {"payload": "sent", "target": "current"} | (use or {})
    for found in (answer, shown(api, answer["run_id"])):
        assert (found["target"], found["payload"]) == (target, {"order": order})
    # Another edit takes nothing away from what was sent.
    edited(api, payload={"order": "NEWER"})
    kept = "NEWER" if order == "NEW" else order
    assert shown(api, answer["run_id"])["payload"] == {"order": kept}


def test_a_patch_is_of_the_payload_that_is_used(api: Api) -> None:
    run_id = died(api)
    route = f"POST /v1/runs/{run_id}/replay"

    sent = api.call(route, {"payload_patch": {"n": 1}}).body
    current = api.call(route, {"payload_patch": {"n": 1}, "use": {"payload": "current"}}).body

    assert [sent["payload"], current["payload"]] == [
        {"order": "OLD", "n": 1},
        {"order": "NEW", "n": 1},
    ]


@pytest.mark.parametrize(
    "body",
    [
        {"payload": 1, "use": {"payload": "sent"}},
        {"use": {"payload": "old"}},
        {"use": {"target": "new"}},
        {"use": {"url": "current"}},
    ],
)
def test_what_cannot_be_meant_is_refused(api: Api, body: Any) -> None:
    answer = api.call(f"POST /v1/runs/{died(api)}/replay", body)

    assert answer.status in (400, 422)


def test_a_target_of_former_times_is_held_to_the_rules_of_today(api: Api) -> None:
    ran.triggered(api, target=OLD, payload={})
    run_id = ran.dead(api)
    edited(api, target={"type": "pull", "queue": "long"}, timeout_sec=3_600)

    answer = api.call(f"POST /v1/runs/{run_id}/replay", {"use": {"target": "sent"}})

    assert (answer.status, answer.body["code"]) == (422, "invalid_target")
    assert api.call(f"POST /v1/runs/{run_id}/replay").status == 201


def test_lists_say_which_runs_were_replayed(api: Api) -> None:
    run_id = died(api)
    again = api.call(f"POST /v1/runs/{run_id}/replay").body["run_id"]

    listed = api.call("GET /v1/schedules/report/runs").body["data"]

    found = {each["run_id"]: (each["replayed_as"], each["replay_of"]) for each in listed}
    assert found[run_id] == (again, None)
    assert found[again] == (None, run_id)


def test_an_operation_uses_what_it_is_told_to(api: Api) -> None:
    died(api)
    body = {"use": {"target": "sent"}}
    plan = api.call("POST /v1/dead-letters/replay", body).body

    route = f"POST /v1/dead-letters/replay?plan_token={plan['plan_token']}"
    begun = api.call(route, body).body
    bulk_operations.step()

    (again,) = api.call("GET /v1/runs?origin=replay").body["data"]
    found = shown(api, again["run_id"])
    assert begun["use"] == {"payload": "sent", "target": "sent"}
    assert (found["target"], found["payload"]) == (OLD, {"order": "OLD"})


def test_a_purge_changes_nothing_but_what_it_drops(api: Api) -> None:
    first = died(api)
    second = api.call(f"POST /v1/runs/{first}/replay", {"use": {"target": "sent"}}).body["run_id"]
    ran.started(second)
    ran.settled(second, "dead", "permanent", error=error_of("OSError", "no"), result={"a": 1})
    before = shown(api, second)

    plan = api.call("POST /v1/dead-letters/purge", {}).body
    api.call(f"POST /v1/dead-letters/purge?plan_token={plan['plan_token']}", {})
    assert bulk_operations.step()["purged"] == 1

    after = shown(api, second)
    changed = {name for name in before if before[name] != after[name]}
    assert changed == {"payload", "error", "result", "purged_at", "attempts"}
    assert (before["target"], after["payload"]) == (OLD, None)
    assert after["attempts"] == [each | {"error": None} for each in before["attempts"]]
    assert after["attempts"][0]["outcome"] == "failed"
    # The version that it shares with others still has its payload.
    assert shown(api, first)["payload"] == {"order": "OLD"}


def test_what_a_former_release_started_is_shown_by_the_version_that_it_obeyed(api: Api) -> None:
    run_id = ran.triggered(api, target=OLD, payload={"order": "OLD"})
    ran.started(run_id, noted=False)
    edited(api, target=NEW, payload={"order": "NEW"})

    found = shown(api, run_id)

    assert (found["target"], found["payload"]) == (OLD, {"order": "OLD"})
    assert found["attempts"][0]["version"] is None
