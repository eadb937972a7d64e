"""A pack that comes back is split; until SQS has taken all of its parts it comes back itself."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.simulation.calm import add, employ, go, outcomes
from tests.simulation.faults.faults import CALM, Aim, Fault
from tests.simulation.stage import Stage, make_stage, staged

# The first worker dies over the pack; of what the second one sends SQS refuses some, each time.
_AIMS = (
    Aim("work#0", "change_message_visibility_batch", 0, Fault.CRASH_AFTER),
    *(Aim("work#1", "send_message_batch", number, Fault.PARTIAL) for number in range(3)),
)


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = make_stage(1, CALM, _AIMS)
    with staged(made):
        employ(made)
        yield made
        made.world.close()


def test_what_sqs_refuses_of_a_split_is_not_lost(stage: Stage) -> None:
    once = "at(2026-11-18T12:01:00)"
    tasks = [add(stage, once, name=name, prefix="tsk") for name in ("one", "two")]
    go(stage, 200)

    assert [outcomes(stage, task) for task in tasks] == [{"12:01:00": "succeeded"}] * 2
