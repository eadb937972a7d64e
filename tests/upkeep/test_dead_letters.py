"""Which dead letters are meant: those that died between two times, both of them included."""

from __future__ import annotations

import pytest

from onthedot.launch.trigger import trigger
from onthedot.records.runs.run_status import Reason
from onthedot.targets.attempt_outcome import Dead
from onthedot.upkeep.dead_letter import Chosen
from onthedot.upkeep.dead_letters import find
from tests.simulation.calm import add, wait
from tests.simulation.stage import Stage


@pytest.mark.parametrize(
    ("since", "until", "found"), [(0, 0, 1), (-1, 1, 1), (1, 9, 0), (1, -1, 0)]
)
def test_a_letter_is_found_by_the_millisecond_that_it_died(
    stage: Stage, since: int, until: int, found: int
) -> None:
    stage.answer = lambda _call: Dead(Reason.PERMANENT)
    run = trigger(add(stage, "0 0 * * *").task_id)
    wait(stage, 10)
    assert run is not None
    died_ms = stage.rows()[run.run_id].life.its_end.ended_ms

    chosen = Chosen(from_ms=died_ms + since, to_ms=died_ms + until)
    assert [letter.key for letter in find("acme", chosen)] == [run.key] * found
