"""What is promised of cancels, in the history that broke it once."""

from __future__ import annotations

from tests.simulation.histories import history
from tests.simulation.laws.running import laws_outcomes
from tests.simulation.machine.journal import read
from tests.simulation.profiles.all_profiles import ALL


def test_a_cancel_that_was_answered_lets_no_further_attempt_begin() -> None:
    stage = history(ALL["handled stalls bare"], 28)
    journal = read(stage.world, stage.corrected)

    assert list(laws_outcomes.stopped(stage, journal, laws_outcomes.STRICT)) == []
