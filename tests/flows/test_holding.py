"""What outside workers ask for of a lease: never less than they have, never more than the time."""

from __future__ import annotations

import pytest

from onthedot.adapters import clock
from onthedot.core.run import Life, Run
from onthedot.flows.holding import extended
from tests.flows.calm import NOON
from tests.simulation.stage import Stage, make_task

STARTED_MS = NOON * 1000


@pytest.mark.parametrize(
    ("at_sec", "asked_sec", "secs"),
    [
        (0, 30, (20, 30)),
        (10, 30, (20, 40)),
        # It keeps what it was given before.
        (10, 5, (40, 40)),
        # The attempt's own time is a minute.
        (50, 30, (55, 60)),
        (70, 30, (60, 60)),
        # Not even the start's own lease, which is longer than some attempts may take.
        (0, 5, (65, 60)),
    ],
)
def test_a_lease_reaches_as_far_as_asked_and_no_further_than_the_attempt(
    stage: Stage, at_sec: int, asked_sec: int, secs: tuple[int, int]
) -> None:
    had_sec, lease_sec = secs
    task = make_task("some", "0 0 1 1 *", stage.world, timeout_sec=60)
    life = Life(
        status="running",
        attempt=1,
        tv=1,
        schedule_version=1,
        due_ms=STARTED_MS,
        started_ms=STARTED_MS,
        lease_ms=STARTED_MS + had_sec * 1000,
    )
    run = Run(
        task_id=task.task_id,
        key="2026-11-18T12:00:00Z",
        tenant_id="acme",
        origin="schedule",
        queue="pull:2:some",
        life=life,
    )
    stage.world.run(at_sec)
    assert clock.now_ms() == STARTED_MS + at_sec * 1000

    kept = extended(run, task, asked_sec)

    assert kept.life.lease_ms == STARTED_MS + lease_sec * 1000
    assert kept.life.started_ms == STARTED_MS
