"""Dead letters: listed, grouped, run again with a change, purged, one by one and by the many."""

from __future__ import annotations

from typing import Any

import pytest

from tests.blackbox.receiver import Call, Reply
from tests.blackbox.user import User, until
from tests.blackbox.world import World


def good_orders(call: Call, _number: int) -> Reply:
    """Refuse what has not been mended."""
    return Reply(200 if call.json.get("mended") else 422, b"order 1 is broken")


def died(user: User, target: dict[str, Any], count: int) -> list[str]:
    """Returns runs that have died of the same error."""
    made = [user.task(target=target, payload={"order": each})["task_id"] for each in range(count)]
    ids = []
    for task_id in made:
        run = user.ran(task_id)
        assert run["status"] == "dead", run
        ids.append(run["run_id"])
    return ids


def test_the_dead_are_listed_and_grouped_by_their_error(world: World) -> None:
    user = world.tenant()
    orders = died(user, world.hook(answer=good_orders).target, 3)
    gone = died(user, world.hook(Reply(410, b"gone for good")).target, 1)

    listed = until(lambda: user.walked("/v1/dead-letters"), lambda rows: len(rows) == 4)
    groups = user.get("/v1/dead-letters/groups")["data"]

    assert {row["run_id"] for row in listed} == {*orders, *gone}
    assert [row["died_at"] for row in listed] == sorted(
        (row["died_at"] for row in listed), reverse=True
    )
    assert [group["count"] for group in groups] == [3, 1]
    chosen = user.walked(f"/v1/dead-letters?fingerprint={groups[1]['fingerprint']}")
    assert [row["run_id"] for row in chosen] == gone
    assert user.walked("/v1/runs?status=dead") != []


def test_a_replay_is_a_new_run_and_the_old_one_keeps_its_outcome(world: World) -> None:
    user = world.tenant()
    old = died(user, world.hook(answer=good_orders).target, 1)[0]

    made = user.said(201, "POST", f"/v1/runs/{old}/replay", {"payload_patch": {"mended": True}})
    new, before = user.settled(made["run_id"]), user.run(old)

    assert (new["status"], new["origin"], new["replay_of"]) == ("succeeded", "replay", old)
    assert new["payload"] == {"order": 0, "mended": True}
    assert (before["status"], before["replayed_as"]) == ("dead", new["run_id"])
    until(lambda: user.walked("/v1/dead-letters"), lambda rows: rows == [])


def test_what_is_open_cannot_be_replayed(world: World) -> None:
    user = world.tenant()
    task = user.task(delay_sec=100, target=world.hook().target)
    run = until(lambda: user.get(f"/v1/tasks/{task['task_id']}")["run"], bool)

    answer = user.ask("POST", f"/v1/runs/{run['run_id']}/replay", {})

    assert answer.refusal == (409, "not_dead")


@pytest.mark.long
def test_many_are_run_again_by_a_plan_and_its_operation(world: World) -> None:
    user = world.tenant()
    ids = died(user, world.hook(answer=good_orders).target, 3)
    until(lambda: user.walked("/v1/dead-letters"), lambda rows: len(rows) == 3)
    body = {"reason": "permanent", "payload_patch": {"mended": True}}

    plan = user.said(200, "POST", "/v1/dead-letters/replay", body)
    path = f"/v1/dead-letters/replay?plan_token={plan['plan_token']}"
    begun = user.said(202, "POST", path, body)
    again = user.said(202, "POST", path, body)
    where = f"/v1/dead-letters/operations/{begun['operation_id']}"
    done = until(lambda: user.get(where), lambda seen: seen["status"] == "done", 200)

    assert plan["effects"]["runs"] == 3
    assert again["operation_id"] == begun["operation_id"]
    assert (begun["total"], begun["done"], begun["left"]) == (3, 0, 3)
    assert (done["total"], done["done"], done["left"]) == (3, 3, 0)
    replayed = [user.run(user.run(old)["replayed_as"]) for old in ids]
    ended = [user.settled(run["run_id"]) for run in replayed]
    assert [run["status"] for run in ended] == ["succeeded"] * 3
    assert user.walked("/v1/dead-letters/operations")[0]["operation_id"] == begun["operation_id"]


@pytest.mark.long
def test_a_purge_drops_payload_and_error_and_keeps_that_it_died(world: World) -> None:
    user = world.tenant()
    run_id = died(user, world.hook(answer=good_orders).target, 1)[0]
    until(lambda: user.walked("/v1/dead-letters"), bool)

    plan = user.said(200, "POST", "/v1/dead-letters/purge", {})
    path = f"/v1/dead-letters/purge?plan_token={plan['plan_token']}"
    user.said(202, "POST", path, {})
    run = until(lambda: user.run(run_id), lambda seen: seen["purged_at"], 200)

    assert (run["status"], run["reason"]) == ("dead", "permanent")
    assert run["payload"] in (None, {})
    assert run["result"] is None
    assert user.ask("POST", f"/v1/runs/{run_id}/replay", {}).refusal == (409, "not_dead")
