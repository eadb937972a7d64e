"""The record of a step: the first value is the one, and one that has gone is no value."""

from __future__ import annotations

from onthedot.records.runs import steps
from onthedot.targets.python.step_effects import Kept, record, recorded
from tests.simulation.faults.faults import Profile
from tests.simulation.stage import Stage, make_stage, staged

RUN_ID = "sch_SOME0000000000000000000000.20261118T120000Z"
# A write takes place at 10 ms, and is read back at 20 ms.
STEADY = Profile(latency_ms=(10, 10))


def test_the_value_that_was_kept_first_is_given_to_all(stage: Stage) -> None:
    assert record(RUN_ID, "charge", 1) == Kept(1)
    assert record(RUN_ID, "charge", 2) == Kept(1)
    assert recorded(RUN_ID, "charge") == Kept(1)
    assert recorded(RUN_ID, "mail") is None
    assert stage.world.bugs() == []


def test_a_record_that_is_gone_when_it_is_read_back_is_an_error_and_no_value() -> None:
    stage = make_stage(1, STEADY)
    key = steps.key(RUN_ID, "charge")

    def lose() -> None:
        rows = stage.world.store.table("runs").rows
        rows.set((key["task_id"], key["scheduled_for"]), None)

    with staged(stage):
        process = stage.world.spawn("work", lambda: record(RUN_ID, "charge", 7))
        stage.world.call_at(0.015, lose)
        stage.world.run(1)

    assert isinstance(process.error, LookupError)
    assert "charge" in str(process.error)
