"""A running run is stopped once its task has ended, with or without the task's spec."""

from __future__ import annotations

import pytest

from onthedot.records.attributes import typed_item
from onthedot.records.runs.message_pack import Ticket
from onthedot.records.runs.run_status import Reason
from onthedot.records.runs.tenant_permits import Permit
from onthedot.records.tasks.task_spec import Task
from onthedot.targets.attempt_outcome import Stopped
from onthedot.work.decision_table import Hint
from onthedot.work.job import Job, look_again
from tests.schedule.samples import NOON_MS, run, task
from tests.simulation.stage import Stage

# So old that no edit stamps it.
OLD = "2026-11-10T12:00:00Z"


def _looked_at(stage: Stage, spec: Task | None) -> Job:
    if spec is not None:
        stage.world.store.put_item(TableName="tasks", Item=typed_item(spec.item()))
    job = Job(
        ticket=Ticket(OLD, 1, 1),
        hint=Hint(attempt=1, receives=1, message_id="m"),
        run=run(OLD, status="running", attempt=1, started_ms=NOON_MS),
        task=task(),
    )
    stage.world.spawn("work", lambda: look_again([job]))
    stage.world.run(1)
    return job


@pytest.mark.parametrize(
    ("status", "reason"),
    [("deleted", Reason.TASK_DELETED), ("cancelled", Reason.TASK_CANCELLED)],
)
def test_one_whose_task_has_ended_is_stopped(stage: Stage, status: str, reason: Reason) -> None:
    assert _looked_at(stage, task(status=status)).answer == Stopped(reason)


def test_one_whose_task_has_vanished_is_stopped(stage: Stage) -> None:
    assert _looked_at(stage, None).answer == Stopped(Reason.TASK_DELETED)


def test_one_whose_task_is_active_goes_on(stage: Stage) -> None:
    assert _looked_at(stage, task()).answer is None


def test_a_run_that_holds_a_permit_is_bounded_though_the_limit_was_lifted() -> None:
    hint = Hint(attempt=1, receives=1, message_id="m")
    job = Job(ticket=Ticket(OLD, 1, 1), hint=hint, run=run(OLD), task=task())
    assert not job.is_bounded

    job.permit = Permit(tenant_id="acme", number=0)

    assert job.is_bounded
