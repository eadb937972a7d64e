"""A task that cannot be planned is set aside, says so, holds up no other, and can be healed."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from onthedot.dispatch.dispatcher import dispatch
from onthedot.records.attributes import typed_item
from onthedot.schedule.schedule import compile_schedule, pack
from tests.simulation.calm import add, go, outcomes, part, spoil, told, wait
from tests.simulation.stage import Stage
from tests.simulation.users import user

EVERY_MINUTE = compile_schedule("* * * * *")
SPOILT: dict[str, dict[str, Any]] = {
    "another format": {"compiled": b"\xff"},
    "cut off": {"compiled": pack(EVERY_MINUTE)[:40]},
    "empty": {"compiled": b""},
    "no zone": {"compiled": pack(EVERY_MINUTE)[:-3] + b"XYZ"},
    "no text in the zone": {"compiled": pack(EVERY_MINUTE)[:-1] + b"\xff"},
    "every zero seconds": {"compiled": pack(compile_schedule("@every 1s"))[:24] + bytes(7)},
    "no bytes": {"compiled": "text"},
    "no number": {"grace_sec": "an hour", "next_run_at": "2026-11-18T11:00:00Z"},
    "no instant": {"next_run_at": "2026-11-18T12:00:60Z"},
}


@pytest.mark.parametrize("how", SPOILT)
def test_what_cannot_be_planned_is_set_aside_and_holds_up_no_other(stage: Stage, how: str) -> None:
    healthy = add(stage, "* * * * *")
    broken = add(stage, "* * * * *", name="broken")
    spoil(stage, broken, "cursor", **SPOILT[how])

    go(stage, 61)

    assert part(stage, broken, "spec")["status"] == "invalid"
    assert "due_shard" not in part(stage, broken, "cursor")
    assert outcomes(stage, healthy)["12:01:00"] == "succeeded"
    assert outcomes(stage, broken) == {}


def test_an_entry_without_a_version_is_set_aside_too(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    cursor = part(stage, task, "cursor")
    del cursor["version"]
    stage.world.store.put_item(TableName="tasks", Item=typed_item(cursor))

    assert dispatch(stage.shards()).counts["quarantined"] == 1
    assert "due_shard" not in part(stage, task, "cursor")


def test_it_is_counted_once(stage: Stage) -> None:
    spoil(stage, add(stage, "* * * * *"), "cursor", compiled=b"\xff")
    shards = stage.shards()

    assert dispatch(shards).counts["quarantined"] == 1
    assert "quarantined" not in dispatch(shards).counts


@pytest.mark.parametrize("parts", [("cursor",), ("cursor", "spec")])
def test_another_schedule_heals_it(stage: Stage, parts: tuple[str, ...]) -> None:
    task = add(stage, "* * * * *")
    for name in parts:
        spoil(stage, task, name, compiled=b"\xff")
    go(stage, 70)

    healed = user.patch(task.task_id, cron="*/2 * * * *")
    go(stage, 250)

    assert healed is not None
    assert healed.status == "active"
    assert told(stage) == [(120, 1), (240, 1)]


@pytest.mark.parametrize("quarantined", [True, False])
def test_it_can_be_deleted(stage: Stage, *, quarantined: bool) -> None:
    task = add(stage, "* * * * *")
    for name in ("cursor", "spec"):
        spoil(stage, task, name, compiled=b"\xff")
    if quarantined:
        go(stage, 10)

    user.delete(task.task_id)

    assert part(stage, task, "spec")["status"] == "deleted"
    assert "due_shard" not in part(stage, task, "cursor")


def test_a_heal_between_the_look_and_the_mark_wins(stage: Stage) -> None:
    task = add(stage, "* * * * *")
    spoil(stage, task, "cursor", compiled=b"\xff")
    stage.world.spawn("dispatch", lambda: dispatch(stage.shards()))
    stage.world.spawn(
        "api",
        lambda: user.patch(task.task_id, cron="*/2 * * * *"),
    )
    wait(stage, 10)
    go(stage, 130)

    assert part(stage, task, "spec")["status"] == "active"
    assert told(stage) == [(120, 1)]


def test_no_bytes_at_all_stop_a_tick(stage: Stage) -> None:
    random = Random(1)
    whole = pack(compile_schedule("*/5 2 1,15 * MON", timezone="Europe/Berlin"))
    for number in range(150):
        spoilt = bytearray(whole)
        for _ in range(random.randint(1, 4)):
            spoilt[random.randrange(len(spoilt))] = random.randrange(256)
        spoil(stage, add(stage, "* * * * *", name=f"b{number}x"), "cursor", compiled=bytes(spoilt))
    healthy = add(stage, "* * * * *")

    dispatch(stage.shards())
    wait(stage, 61)

    assert outcomes(stage, healthy)["12:01:00"] == "succeeded"
