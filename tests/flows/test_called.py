"""Who leaves a place calls the next one: also while SQS takes no message, and the audit is away."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.flows import line
from onthedot.flows.cancel import cancel
from onthedot.flows.trigger import trigger
from tests.flows.calm import FREE, add, employ, runs, said, wait
from tests.simulation.faults import Profile
from tests.simulation.outages import Outage
from tests.simulation.stage import Stage, make_stage, staged

KEY = {"shown": {"concurrency_key": {"key": "all", "max_running": 1}}, **FREE}
PLACES: dict[str, dict[str, Any]] = {"gate": {"overlap": "queue"}, "key": KEY, "quota": FREE}


def played(place: str, outage: Outage, *, stops: bool = False) -> Stage:
    """Two runs want one place; the first has it for five seconds, unless it is cancelled."""
    stage = make_stage(1, Profile(outages=(outage,)))
    with staged(stage):
        employ(stage)
        if place == "quota":
            line.set_limit("acme", 1)
        task = add(stage, "0 0 1 1 *", **PLACES[place])
        stage.takes_sec = lambda call: 5 if call.attempt == 1 else 0.1
        begun = [trigger(task.task_id) for _ in range(2)]
        wait(stage, 3)
        if stops and begun[1]:
            cancel(begun[1].run_id)
        wait(stage, 60)
        stage.world.close()
    assert stage.world.bugs() == []
    return stage


@pytest.mark.parametrize("place", PLACES)
def test_the_next_one_is_called_when_sqs_takes_messages_again(place: str) -> None:
    stage = played(place, Outage(from_sec=4, for_sec=6, queue="normal"))

    assert [said(run) for run in runs(stage, stage.tasks[0])] == ["succeeded"] * 2
    assert len(stage.deliveries) == 2


@pytest.mark.parametrize("place", PLACES)
def test_who_is_cancelled_in_the_line_is_called_by_nobody(place: str) -> None:
    stage = played(place, Outage(from_sec=100, for_sec=1, queue="normal"), stops=True)

    assert sorted(said(run) for run in runs(stage, stage.tasks[0])) == [
        "cancelled(user)",
        "succeeded",
    ]
    assert len(stage.deliveries) == 1
