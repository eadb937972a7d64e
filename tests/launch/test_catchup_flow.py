"""Catching up on a pause, also where an earlier try of the same resume has died."""

from __future__ import annotations

import pytest

from onthedot.dispatch.extra_runs import first_life
from onthedot.launch.catchup_flow import catch_up
from onthedot.records.conditional_writes import Outcome
from onthedot.records.keys import backfill_key
from onthedot.records.runs import run_writes
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import nominal
from onthedot.store import clock, conditional_writer
from tests.simulation.calm import NOON, add, outcomes, wait
from tests.simulation.stage import Stage

_HOUR_SEC = 3_600


def claimed(task: Task, slot: int, origin: str) -> None:
    """Puts the run of a slot as somebody left it who died before it was sent."""
    run = Run(
        task_id=task.task_id,
        key=backfill_key(slot, 1),
        tenant_id=task.tenant_id,
        origin=origin,
        queue=task.queue,
        life=first_life(task, clock.now_ms(), "an earlier try"),
        slot=nominal(slot),
    )
    assert (
        conditional_writer.write_one(run_writes.insert(run, now_ms=clock.now_ms())) is Outcome.DONE
    )


@pytest.mark.parametrize(("origin", "status"), [("catchup", "succeeded"), ("backfill", "claimed")])
def test_what_an_earlier_try_has_claimed_is_sent_and_what_a_backfill_has_is_its_own(
    stage: Stage, origin: str, status: str
) -> None:
    task = add(stage, "0 * * * *", misfire_grace_sec=60)
    slot = NOON + _HOUR_SEC
    wait(stage, 8 * _HOUR_SEC)
    claimed(task, slot, origin)

    catch_up(task, [slot])
    wait(stage, 8 * _HOUR_SEC + 10)

    assert outcomes(stage, task) == {"13:00:00Z~b1": status}
