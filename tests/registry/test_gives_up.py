"""Who finds the store changed, or hears nothing from it, time and again gives up and says so."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from onthedot.records.access.api_key import TABLE, TASKS_MAX, Key, tenant_key
from onthedot.records.access.business_key import BusinessKey
from onthedot.records.conditional_writes import Outcome
from onthedot.records.tasks.task_spec import Task
from onthedot.registry import api_keys, oneoff, oneoff_flow
from onthedot.schedule.expression.errors import BusyError
from onthedot.store import conditional_writer, table_reads
from tests.simulation.calm import NOON, add
from tests.simulation.stage import Stage, make_task
from tests.simulation.users import user

TARGET = {"type": "python", "handler": "hello"}
ORDER = BusinessKey(tenant_id="acme", key="order", ttl_sec=60, body_hash="0")


def one_off() -> Task:
    fields = {"target": TARGET, "delay_sec": 900}
    return oneoff.define(fields, task_id="tsk_A", tenant_id="acme", now_ms=NOON * 1000)


def admin(stage: Stage) -> Key:
    """Returns one of the operator's two."""
    made = [api_keys.make(tenant_id="default", role="admin", name=name)[0] for name in "ab"]
    assert len(made) == 2, stage
    return made[0]


def always(monkeypatch: pytest.MonkeyPatch, outcome: Outcome) -> None:
    """Lets the store say that of each transaction."""
    monkeypatch.setattr(conditional_writer, "write_together", lambda _parts: outcome)


def test_an_edit_of_what_keeps_changing(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    task = add(stage, "0 0 * * *")
    always(monkeypatch, Outcome.REFUSED)

    with pytest.raises(BusyError, match="kept changing under 8 attempts to edit it"):
        user.patch(task.task_id, priority=1)


def test_a_stamp_of_runs_that_keep_changing(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    task = add(stage, "* * * * *")
    user.patch(task.task_id, cron="*/20 * * * * *")
    refused: Callable[..., Any] = lambda writes, **_: [Outcome.REFUSED for _ in writes]  # noqa: E731
    monkeypatch.setattr(conditional_writer, "write_many", refused)

    with pytest.raises(BusyError, match="kept changing under 8 stamps"):
        user.patch(task.task_id, payload={"n": 1})


def test_a_create_that_hears_nothing(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    always(monkeypatch, Outcome.UNSURE)

    with pytest.raises(BusyError, match="could not be registered in 8 tries"):
        user.create(make_task("new", "* * * * *", stage.world))


def test_a_task_whose_key_keeps_changing_takes_no_room(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    always(monkeypatch, Outcome.REFUSED)

    with pytest.raises(BusyError, match="kept changing under 3 tries"):
        oneoff_flow.create(one_off(), user.by(), ORDER)
    left = table_reads.get(TABLE, tenant_key("acme"))
    assert left is not None
    assert (left["tasks_left"], stage.rows()) == (TASKS_MAX, {})


def test_a_key_that_hears_nothing(stage: Stage, monkeypatch: pytest.MonkeyPatch) -> None:
    always(monkeypatch, Outcome.UNSURE)

    with pytest.raises(BusyError, match="gave no answer in 8 tries"):
        admin(stage)


def test_a_revocation_that_never_has_its_turn(
    stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    key = admin(stage)
    always(monkeypatch, Outcome.REFUSED)

    with pytest.raises(BusyError, match="admin keys kept changing under 8 tries"):
        api_keys.revoke(key, user.by())
