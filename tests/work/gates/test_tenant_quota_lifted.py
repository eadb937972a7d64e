"""A quota that is lifted while runs of its tenant are under way."""

from __future__ import annotations

from onthedot.launch.trigger import Moment, trigger
from onthedot.store import clock
from onthedot.work.gates import tenant_line, tenant_quota
from tests.simulation.calm import FREE, add, runs, wait
from tests.simulation.stage import Stage


def test_a_run_that_is_held_meanwhile_starts_on_time_and_without_a_permit(stage: Stage) -> None:
    tenant_line.set_limit("acme", 1)
    task = add(stage, "0 0 1 1 *", **FREE)
    now_ms = clock.now_ms()
    trigger(task.task_id, moment=Moment(now_ms, "later", now_ms + 4_000))
    wait(stage, clock.monotonic() + 3.5)
    tenant_line.set_limit("acme", None)
    wait(stage, clock.monotonic() + 30)

    (held,) = runs(stage, task)
    assert (held.life.status, held.life.permit) == ("succeeded", "")
    assert held.life.its_attempt.started_ms - held.life.due_ms < 500
    assert not tenant_quota.all_taken("acme")
