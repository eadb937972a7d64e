"""A one-off task by a key of its caller's: the same key is the same task, while there is one."""

from __future__ import annotations

import pytest

from onthedot.records.access import api_key
from onthedot.records.access.business_key import BusinessKey
from onthedot.records.attributes import plain_item, typed_item
from onthedot.records.problems import Problem
from onthedot.records.tasks import task_spec
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import oneoff, oneoff_flow
from onthedot.store import table_reads
from tests.simulation.calm import NOON
from tests.simulation.stage import Stage
from tests.simulation.users import user

ORDER = BusinessKey(tenant_id="acme", key="order", ttl_sec=600, body_hash="0")


def one_off(task_id: str) -> Task:
    fields = {"target": {"type": "python", "handler": "hello"}, "delay_sec": 900}
    return oneoff.define(fields, task_id=task_id, tenant_id="acme", now_ms=NOON * 1000)


def test_a_key_that_is_kept_gives_its_task_once_more(stage: Stage) -> None:
    made, is_new = oneoff_flow.create(one_off("tsk_A"), user.by(), ORDER)
    again, is_newer = oneoff_flow.create(one_off("tsk_B"), user.by(), ORDER)

    assert (made.task_id, is_new) == ("tsk_A", True), stage
    assert (again.task_id, is_newer) == ("tsk_A", False)


def test_a_key_whose_task_is_gone_says_so(stage: Stage) -> None:
    oneoff_flow.create(one_off("tsk_A"), user.by(), ORDER)
    table_reads.delete(task_spec.TABLE, task_spec.spec_key("tsk_A"))

    with pytest.raises(Problem, match=r"The task of this idempotency_key is gone\."):
        oneoff_flow.create(one_off("tsk_B"), user.by(), ORDER)
    assert stage.rows() == {}


def test_a_key_whose_task_goes_in_between_tells_of_it_as_it_was(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    made, _ = oneoff_flow.create(one_off("tsk_A"), user.by(), ORDER)
    monkeypatch.setattr(oneoff_flow, "edit", lambda *_, **__: None)

    again, is_newer = oneoff_flow.create(one_off("tsk_B"), user.by(), ORDER)

    assert (again.task_id, again.version, is_newer) == ("tsk_A", made.version, False), stage


def test_tasks_that_a_quota_refuses_leave_no_line_on_the_trail(stage: Stage) -> None:
    item = api_key.tenant_key("acme") | {
        "tasks_max": 1,
        "tasks_left": 1,
        "recounted_ms": NOON * 1000,
    }
    stage.world.store.put_item(TableName="access", Item=typed_item(item))

    with pytest.raises(Problem):
        oneoff_flow.create_all([one_off("tsk_A"), one_off("tsk_B")], user.by())

    found = [plain_item(item) for item in stage.world.store.scan(TableName="access")["Items"]]
    assert [item["pk"] for item in found] == [item["pk"]]
