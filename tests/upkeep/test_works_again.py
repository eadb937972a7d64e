"""What works again is told of and goes on, wherever the audit of that minute dies."""

from __future__ import annotations

import json
from typing import Any

import pytest

from onthedot.dispatch.dispatcher import dispatch
from onthedot.records.runs.run_status import Reason
from onthedot.store import table_reads
from onthedot.targets.attempt_outcome import Answer, Dead, Done
from onthedot.upkeep import failing_task, failing_tasks
from onthedot.upkeep.claims_audit import audit
from onthedot.upkeep.events import destinations
from onthedot.upkeep.events.notifications import tell
from tests.simulation.calm import FREE, employ
from tests.simulation.faults.faults import CALM, Aim
from tests.simulation.machine.trace import Effect
from tests.simulation.play.exhaust import CRASHES
from tests.simulation.stage import Stage, make_stage, make_task, staged

# It dies every minute for as long, is paused for an hour, and then a probe succeeds.
BROKEN_SEC = 900
FIRST_SEC, UNTIL_SEC = 4_000, 5_400
WRITES = {"put_item", "update_item", "delete_item", "transact_write_items"}
WRITES |= {"batch_execute_statement"}


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[dict[str, Any]]:
    """Returns what was handed over to the topic."""
    monkeypatch.setenv("EVENTS_TO", "arn:aws:sns:us-east-1:000000000000:alarms")
    found: list[dict[str, Any]] = []

    def send(_arn: str, bodies: list[str]) -> set[int]:
        found.extend(json.loads(body) for body in bodies)
        return set()

    monkeypatch.setattr(destinations, "send", send)
    return found


def play(aims: tuple[Aim, ...]) -> tuple[Stage, str]:
    """Returns the history, and how the schedule stands at its end."""
    stage = make_stage(1, CALM, aims)
    world = stage.world

    def answer(_: object) -> Answer:
        return Dead(Reason.PERMANENT) if world.now_us < BROKEN_SEC * 1_000_000 else Done()

    def minute(_: object) -> None:
        audit()
        failing_tasks.act()
        tell()

    stage.answer = answer
    with staged(stage):
        employ(stage)
        task = make_task("some", "* * * * *", world, **FREE)
        stage.register(task)
        shards = stage.shards()
        world.every(60, "dispatch", lambda _: dispatch(shards), first_sec=0, until_sec=1_000)
        world.every(60, "audit", minute, first_sec=30, until_sec=UNTIL_SEC)
        world.run(UNTIL_SEC)
        spec = table_reads.get("tasks", {"task_id": task.task_id, "part": "spec"}) or {}
        left = table_reads.get(failing_task.TABLE, failing_task.key(task.task_id))
        world.close()
    assert world.bugs() == []
    return stage, "sick" if left else str(spec["status"])


def _writes_late(effect: Effect) -> bool:
    """An audit a minute: its number says when it was."""
    kind, _, number = effect.process.partition("#")
    return kind == "audit" and int(number) > FIRST_SEC // 60 and effect.operation in WRITES


def ids(told: list[dict[str, Any]], kind: str) -> set[str]:
    return {one["id"] for one in told if one["type"] == f"onthedot.{kind}.v1"}


@pytest.mark.deep
def test_a_probe_that_succeeds_has_one_outcome_wherever_its_minute_dies(
    told: list[dict[str, Any]],
) -> None:
    calm, status = play(())
    effects = [effect for effect in calm.world.effects() if _writes_late(effect)]

    assert (status, len(ids(told, "run.recovered")), len(ids(told, "schedule.resumed"))) == (
        "active",
        1,
        1,
    )
    assert len(effects) > 10
    for effect in effects:
        for fault in CRASHES:
            told.clear()
            _, status = play((Aim(effect.process, effect.operation, effect.nth, fault),))

            assert status == "active", (effect, fault)
            assert len(ids(told, "run.recovered")) == 1, (effect, fault)
            assert len(ids(told, "schedule.resumed")) == 1, (effect, fault)
