"""What nobody has looked at for longer than half an hour is looked at within the hour."""

from __future__ import annotations

import pytest

from onthedot.launch.trigger import trigger
from onthedot.records.runs import manifest
from onthedot.upkeep.claims_audit import audit, audit_older
from onthedot.upkeep.ledger import Ledger
from tests.simulation.calm import NOON, add, outcomes, partition, purge, put_run, wait
from tests.simulation.stage import Stage

HOUR_SEC = 3_600


def looked_for_an_hour(stage: Stage, from_sec: int) -> Ledger:
    seen = Ledger()
    for minute in range(60):
        wait(stage, from_sec + minute * 60 + 30)
        audit_older(seen)
    return seen


@pytest.mark.parametrize("stood_still_h", [1, 7, 24])
def test_a_run_that_was_forgotten_for_hours_is_found(stage: Stage, stood_still_h: int) -> None:
    assert NOON % HOUR_SEC == 0
    task = add(stage, "0 0 1 1 *")
    trigger(task.task_id)
    purge(stage)
    wait(stage, stood_still_h * HOUR_SEC)
    assert audit().figures() == {}

    seen = looked_for_an_hour(stage, stood_still_h * HOUR_SEC)

    assert seen.figures()["resent"] == 1
    assert list(outcomes(stage, task).values()) == ["succeeded"]


def test_every_minute_of_the_last_day_is_looked_at(stage: Stage) -> None:
    for minute in range(24 * 60):
        listed_ms = (NOON - (minute + 2) * 60) * 1000
        entry = manifest.Entry("sch_gone.20261118T000000Z", 1, "acme").due_at(listed_ms)
        for each in manifest.listing("GONE", [entry], now_ms=listed_ms):
            put_run(stage, each.item())
    assert len(partition(stage, "check#")) == 24 * 60

    looked_for_an_hour(stage, 0)

    assert partition(stage, "check#") == []
