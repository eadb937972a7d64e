"""Late runs by the hundred beside a long call: deciding on them must not cost it its lease."""

from __future__ import annotations

from dataclasses import replace

import pytest

from onthedot.launch.trigger import trigger
from onthedot.records.runs import run_writes
from onthedot.records.runs.message_pack import of_run
from onthedot.records.runs.run_row import Run
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import nominal
from onthedot.store import clock, queue
from onthedot.work.worker import work
from tests.schedule.samples import run
from tests.simulation.calm import NOON, add, put_run, runs, said, wait
from tests.simulation.faults.faults import Profile
from tests.simulation.outside.consumer import Consumer
from tests.simulation.stage import Stage, make_stage, staged

POLICIES = ("all", "latest", "none")


def claimed(stage: Stage, task: Task, slot: int) -> Run:
    """Returns a slot whose message was lost in an outage."""
    life = {"due_ms": slot * 1000, "claim_id": "D0", "claimed_ms": (slot - 100) * 1000}
    made = replace(run(nominal(slot), **life), task_id=task.task_id)
    put_run(stage, {**run_writes.insert(made, now_ms=NOON * 1000).item})
    return made


@pytest.mark.deep
@pytest.mark.parametrize(
    ("latency_ms", "policies", "slots"),
    [((100, 150), POLICIES, 60), ((200, 300), POLICIES, 60), ((40, 60), ("all",) * 25, 8)],
)
def test_a_long_call_keeps_its_lease(
    latency_ms: tuple[int, int], policies: tuple[str, ...], slots: int
) -> None:
    stage = make_stage(1, Profile(latency_ms=latency_ms))
    with staged(stage):
        clock.correct(0)
        Consumer(stage.world, "normal", "work", work, batch=10, at_once_max=1, limit_sec=900)
        slow = add(stage, "0 0 1 1 *", name="slow")
        stage.takes_sec = lambda call: 40 if call.task_id == slow.task_id else 0.05
        many = [
            add(stage, "* * * * * *", name=f"{number}", misfire=policy, misfire_grace_sec=3_600)
            for number, policy in enumerate(policies)
        ]
        late = [
            [of_run(claimed(stage, task, NOON - 300 + number), "resend") for task in many]
            for number in range(slots)
        ]
        trigger(slow.task_id)
        wait(stage, 3)
        for first, *others in late:
            tickets = (*first.tickets, *(each.tickets[0] for each in others))
            queue.send([(replace(first, tickets=tickets), 0)])
        wait(stage, 900)

        assert [(said(one), one.life.starts) for one in runs(stage, slow)] == [("succeeded", 1)]
        assert {said(one) for one in runs(stage, many[0])} == {"succeeded"}
        stage.world.close()
    assert stage.world.bugs() == []
