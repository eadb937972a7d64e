"""What the documents will promise of cancels, and which history of today breaks it."""

from __future__ import annotations

from tests.simulation import laws_outcomes
from tests.simulation.histories import history
from tests.simulation.journal import read
from tests.simulation.profiles import ALL


def test_a_takeover_that_has_read_the_run_before_a_cancel_begins_another_attempt() -> None:
    stage = history(ALL["handled stalls bare"], 28)
    journal = read(stage.world, stage.corrected)

    (broken,) = laws_outcomes.stopped(stage, journal, laws_outcomes.STRICT)
    assert broken.endswith("20261118T120040Z began another attempt")
    assert list(laws_outcomes.stopped(stage, journal)) == []
