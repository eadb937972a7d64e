"""Runs whose keys are older than what an edit looks through obey it all the same."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

import pytest

from onthedot.launch.trigger import Moment, trigger
from onthedot.records.tasks.task_spec import Task
from onthedot.store import clock
from tests.simulation.calm import add, employ, outcomes
from tests.simulation.faults.faults import CALM, Aim, Fault
from tests.simulation.stage import Stage, make_stage, staged
from tests.simulation.users import user

_DAYS_MS = 3 * 86_400_000
# The first worker stalls between its look at the task and its start of the run.
_STALLED = Aim("work#0", "batch_execute_statement", 0, Fault.STALL_BEFORE, stall_sec=6)


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = make_stage(1, CALM, (_STALLED,))
    with staged(made):
        employ(made)
        yield made
        made.world.close()
    assert made.world.bugs() == []


def asked_for_days_ago(stage: Stage) -> Task:
    """Returns a manual run that was asked for three days before it is due, now."""
    task = add(stage, "0 0 1 1 *")
    now_ms = clock.now_ms()
    trigger(task.task_id, moment=Moment(now_ms - _DAYS_MS, "OLD", now_ms))
    stage.world.run(3)
    return task


def test_another_payload_that_was_acknowledged_before_the_start_is_what_it_is_given(
    stage: Stage,
) -> None:
    task = asked_for_days_ago(stage)
    user.change(task.task_id, lambda seen, _: replace(seen, payload={"edited": True}))
    stage.world.run(20)

    assert [delivery.payload for delivery in stage.deliveries] == [{"edited": True}]


def test_after_an_acknowledged_delete_its_target_is_not_called(stage: Stage) -> None:
    task = asked_for_days_ago(stage)
    user.delete(task.task_id)
    stage.world.run(20)

    assert stage.deliveries == []
    assert list(outcomes(stage, task).values()) == ["cancelled(task_deleted)"]
