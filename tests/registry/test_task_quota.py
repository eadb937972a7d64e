"""A tenant's tasks are counted again where the quota would refuse, once a minute at most."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.records.access.api_key import TASKS_MAX, tenant_key
from onthedot.records.attributes import plain_item, typed_item
from onthedot.registry.task_quota import recount
from onthedot.schedule.time.instants import nominal
from onthedot.store.access import access_table, tenants
from tests.simulation.calm import FREE, NOON, wait
from tests.simulation.stage import Stage, make_task

DAY_SEC = 86_400


def told(stage: Stage, **limits: int) -> None:
    item = tenant_key("acme") | limits
    stage.world.store.put_item(TableName="access", Item=typed_item(item))


def kept(stage: Stage) -> dict[str, Any]:
    key = typed_item(tenant_key("acme"))
    return plain_item(stage.world.store.get_item(TableName="access", Key=key)["Item"])


def schedule(stage: Stage, name: str, tenant_id: str = "acme") -> None:
    shown = {"listed": f"{tenant_id}#s", "created_at": "2026-11-18T11:00:00.000Z"}
    given = {"shown": shown, "tenant_id": tenant_id, **FREE}
    stage.register(make_task(name, "* * * * *", stage.world, **given))


def task(stage: Stage, name: str, due: int) -> None:
    start_at = nominal(due)
    shown = {"listed": "acme#t", "created_at": start_at, "start_at": start_at}
    once = f"at({start_at[:-1]})"
    stage.register(make_task(name, once, stage.world, prefix="tsk", shown=shown, **FREE))


def test_schedules_and_tasks_that_were_due_within_a_day_take_room(stage: Stage) -> None:
    told(stage, tasks_left=0, tasks_max=10)
    for name in ("a", "b", "c"):
        schedule(stage, name)
    schedule(stage, "theirs", "globex")
    for name, due in (
        ("to come", NOON + 60),
        ("tries", NOON - DAY_SEC + 1),
        ("has run", NOON - DAY_SEC),
        ("long ago", NOON - 9 * DAY_SEC),
    ):
        task(stage, name, due)

    assert recount("acme")

    assert kept(stage)["tasks_left"] == 10 - 3 - 2
    assert kept(stage)["recounted_ms"] == NOON * 1000


def test_a_tenant_with_more_than_its_quota_has_room_only_when_as_many_are_gone(
    stage: Stage,
) -> None:
    told(stage, tasks_left=-3, tasks_max=2)
    for name in ("a", "b", "c"):
        schedule(stage, name)

    assert recount("acme")
    assert kept(stage)["tasks_left"] == -1

    access_table.count("acme", -1)
    assert not access_table.count("acme", 1)


def test_a_limit_that_is_raised_again_leaves_what_is_there_counted(stage: Stage) -> None:
    told(stage, tasks_left=-1, tasks_max=2)
    for name in ("a", "b", "c"):
        schedule(stage, name)
    assert recount("acme")

    assert tenants.limit("acme", {"tasks_max": 2}, {"tasks_max": 10})

    assert kept(stage)["tasks_left"] == 10 - 3


def test_it_is_done_once_a_minute(stage: Stage) -> None:
    told(stage, tasks_left=0, tasks_max=5)
    assert recount("acme")
    told(stage, **{**kept(stage), "tasks_left": 0})

    wait(stage, 59.9)
    assert not recount("acme")
    assert kept(stage)["tasks_left"] == 0
    wait(stage, 60)
    assert recount("acme")
    assert kept(stage)["tasks_left"] == 5


def test_without_a_limit_of_its_own_a_tenant_may_have_as_many_as_any(stage: Stage) -> None:
    told(stage, tasks_left=0)

    assert recount("acme")

    assert kept(stage)["tasks_left"] == TASKS_MAX


def test_what_was_counted_otherwise_meanwhile_stays(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    told(stage, tasks_left=0, tasks_max=9)
    write = access_table.recounted

    def late(tenant_id: str, *, seen: int | None, left: int, now_ms: int) -> None:
        told(stage, tasks_left=1, tasks_max=9)
        write(tenant_id, seen=seen, left=left, now_ms=now_ms)

    monkeypatch.setattr(access_table, "recounted", late)
    assert recount("acme")

    assert kept(stage)["tasks_left"] == 1
