"""A run whose permit another worker took, and then died before its start."""

from __future__ import annotations

from onthedot.launch.trigger import trigger
from onthedot.records.conditional_writes import Outcome
from onthedot.records.runs.tenant_permits import Permit
from onthedot.records.timings import LEASE_SEC, MARGIN_SEC
from onthedot.store import conditional_writer
from onthedot.work.gates import tenant_line
from tests.simulation.calm import FREE, NOON, add, runs, said, wait
from tests.simulation.stage import Stage


def test_who_finds_its_permit_in_other_hands_looks_again_once_that_is_over_by_any_clock(
    stage: Stage,
) -> None:
    tenant_line.set_limit("acme", 1)
    task = add(stage, "0 0 1 1 *", **FREE)
    run = trigger(task.task_id)
    assert run is not None
    lease_ms = (NOON + LEASE_SEC) * 1000
    theirs = Permit(tenant_id="acme", number=0, holder=run.run_id, owner="dead", lease_ms=lease_ms)
    assert conditional_writer.write_one(tenant_line.read("acme").take(theirs)) is Outcome.DONE
    wait(stage, 1)

    (again,) = stage.world.queues.queue("normal").messages.values()
    looks_sec = again.visible_us / 1_000_000 - NOON
    assert LEASE_SEC + MARGIN_SEC <= looks_sec < LEASE_SEC + MARGIN_SEC + 1
    wait(stage, looks_sec + 1)

    assert said(runs(stage, task)[0]) == "succeeded"
