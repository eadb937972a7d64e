"""What a target is told of its lease; one of a kind that nobody knows ends its run for good."""

from __future__ import annotations

from dataclasses import replace

import pytest

from onthedot.launch.trigger import trigger
from onthedot.records.runs.message_pack import Ticket
from onthedot.store import clock
from onthedot.targets.attempt_outcome import Dead
from onthedot.targets.call import Call
from onthedot.work.decision_table import Hint
from onthedot.work.job import Job
from onthedot.work.target_call import call_of, deliver
from tests.schedule.samples import lived
from tests.simulation.calm import add
from tests.simulation.stage import Stage
from tests.targets.receiver import call_fields


def test_a_kind_of_target_that_this_release_does_not_know_is_dead_and_says_so() -> None:
    answer = deliver(Call(**call_fields(target={"type": "carrier-pigeon"})))

    assert isinstance(answer, Dead)
    assert answer.reason == "permanent"
    assert answer.error is not None
    assert (answer.error["type"], answer.error["message"]) == (
        "UnknownTarget",
        "no target carrier-pigeon",
    )


@pytest.mark.parametrize(
    ("left_ms", "refused", "lost"),
    [(9_000, False, False), (9_000, True, True), (0, False, True), (-1, True, True)],
)
def test_a_lease_is_lost_once_a_heartbeat_is_refused_or_its_time_is_over(
    stage: Stage, left_ms: int, *, refused: bool, lost: bool
) -> None:
    task = add(stage, "0 0 * * *")
    run = trigger(task.task_id)
    assert run is not None
    held = replace(run, life=lived(run.life, attempt=1, lease_ms=clock.now_ms() + left_ms))
    hint = Hint(attempt=1, receives=1, message_id="M")
    job = Job(ticket=Ticket(run.run_id, 1, run.life.tv), hint=hint, run=held, task=task)
    call = call_of(job, held, task)

    job.lost = refused

    assert call.lease_lost() is lost
