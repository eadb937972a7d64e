"""A handler that does not stop when its lease is lost ends with its process."""

from __future__ import annotations

import pytest

from tests.simulation.calm import NOON, add, employ, go, outcomes, told
from tests.simulation.faults.faults import Profile
from tests.simulation.faults.outages import Outage
from tests.simulation.stage import Stage, make_stage, staged

# No heartbeat of one run is taken from 12:10:01 on; those of the other one are.
LOST = Profile(outages=(Outage(from_sec=601, for_sec=60, table="runs", partition="LOST"),))
LEASE_SEC, NOTICE_SEC, TOLD_SEC, GONE_SEC = 20, 5, 8, 13


def _played(stage: Stage, *, deaf: bool) -> dict[str, str]:
    """Returns two runs of one worker, of which one loses its lease; what came of each."""
    stage.takes_sec = lambda call: 120 if call.attempt == 1 else 1
    stage.deaf = lambda call: deaf and call.name == "lost"
    with staged(stage):
        employ(stage)
        tasks = [add(stage, "10 12 * * *", name=name) for name in ("lost", "other")]
        go(stage, 800)
        stage.world.close()
    return {task.name: outcomes(stage, task)["12:10:00"] for task in tasks}


def _worker_ended_sec(stage: Stage) -> float:
    worker = next(each for each in stage.world.processes if each.name == "work#0")
    return worker.ended_us / 1_000_000 - 600


def test_one_that_does_not_stop_is_gone_with_its_process_and_the_others_run_again() -> None:
    stage = make_stage(1, LOST)

    assert _played(stage, deaf=True) == {"lost": "succeeded", "other": "succeeded"}

    ended_sec = _worker_ended_sec(stage)
    assert LEASE_SEC + NOTICE_SEC < ended_sec <= LEASE_SEC + GONE_SEC
    assert [attempt for _, attempt in told(stage)].count(2) == 2


def test_one_that_stops_takes_no_other_along() -> None:
    stage = make_stage(1, LOST)

    assert _played(stage, deaf=False) == {"lost": "succeeded", "other": "succeeded"}

    first = next(each for each in stage.deliveries if "LOST" in each.run_id)
    assert first.told_ms / 1000 - NOON - 600 <= LEASE_SEC + TOLD_SEC
    assert _worker_ended_sec(stage) > 120
    assert [each.attempt for each in stage.deliveries if "OTHER" in each.run_id] == [1]


@pytest.mark.parametrize("status", ["succeeded", "cancelled"])
def test_one_whose_run_is_over_harms_nobody_and_is_let_be(status: str) -> None:
    """A callback may come before the answer that promised it."""
    stage = make_stage(1)
    stage.world.call_at(610, lambda: _end(stage, status))

    assert _played(stage, deaf=True) == {"lost": status, "other": "succeeded"}

    assert _worker_ended_sec(stage) > 120
    assert [each.attempt for each in stage.deliveries] == [1, 1]


def _end(stage: Stage, status: str) -> None:
    """Writes the outcome, as another worker does."""
    rows = stage.world.store.table("runs").rows
    for key, item in list(rows.items.items()):
        if "LOST" in key[0] and "life" in item:
            life = item["life"]["M"] | {"status": {"S": status}}
            stage.world.store.put_item(TableName="runs", Item=item | {"life": {"M": life}})
