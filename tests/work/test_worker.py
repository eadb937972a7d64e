"""What becomes of runs whose start meets a store that fails in the middle of it."""

from __future__ import annotations

from onthedot.records.runs.message_pack import Pack, Ticket
from onthedot.records.runs.run_row import Run
from onthedot.work import worker
from onthedot.work.batch import Batch, Received
from onthedot.work.decision_table import Hint
from onthedot.work.job import Job
from tests.simulation.calm import NOON, add, left_behind, runs, said, wait
from tests.simulation.faults.faults import Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.stage import make_stage, staged
from tests.simulation.users import user

# The gate of one task cannot be read.
BUSY = Outage(from_sec=0, for_sec=600, table="runs", partition="sch_HELD", reads=True, writes=False)


def _received(run: Run) -> Received:
    ticket = Ticket(run.run_id, 1, 1)
    return Received(
        pack=Pack(due_ms=NOON * 1000, why="start", tickets=(ticket,), tenant_id="acme"),
        message_id=run.run_id,
        receipt=run.run_id,
        receives=1,
        owes={run.run_id},
    )


def _job(run: Run) -> Job:
    hint = Hint(attempt=1, receives=1, message_id=run.run_id, why="start")
    return Job(ticket=Ticket(run.run_id, 1, 1), hint=hint, tenant_id="acme")


def test_what_has_its_outcome_when_the_store_fails_is_not_looked_at_again() -> None:
    stage = make_stage(1, Profile(outages=(BUSY,)))
    with staged(stage):
        paused, held = (
            add(stage, "* * * * *", name=name, overlap="queue") for name in ("paused", "held")
        )
        for task in (paused, held):
            left_behind(stage, task, 0)
        user.pause(paused.task_id)
        found = [runs(stage, task)[0] for task in (paused, held)]
        skips, waits = (_job(run) for run in found)
        # Its worker has read it before, and has held it until it was due.
        waits.run, waits.task, waits.loaded = found[1], held, True
        batch = Batch(queue="normal", messages=[_received(run) for run in found])
        started: list[object] = []
        stage.world.spawn("work", lambda: started.append(_started(batch, [skips, waits])))
        wait(stage, 10)

        assert said(runs(stage, paused)[0]) == "skipped(paused)"
    assert started == [([], [waits])]


def _started(batch: Batch, jobs: list[Job]) -> tuple[list[Job], list[Job]]:
    return worker._started_by(batch, jobs, "W")  # noqa: SLF001  # what it puts off
