"""What the documents will promise of order and cancels, and which histories of today break it."""

from __future__ import annotations

import pytest

from tests.simulation import laws_outcomes
from tests.simulation.histories import history
from tests.simulation.journal import read
from tests.simulation.laws_order import STRICT, TODAY, Policy, kept
from tests.simulation.profiles import ALL
from tests.simulation.standing import standings


def _laws(name: str, seed: int, policy: Policy) -> set[str]:
    stage = history(ALL[name], seed)
    stage.last_rows = stage.rows()
    journal = read(stage.world, stage.corrected)
    found = kept(stage, journal, standings(stage, journal), policy)
    return {law.partition(":")[0] for law in found}


@pytest.mark.parametrize(
    ("name", "seed", "law"),
    [
        # Who comes first goes first, whoever has been due for longer.
        ("slow lines", 44, "out of order"),
        # Late slots that run all start at once.
        ("misfires", 0, "out of turn"),
    ],
)
def test_by_the_order_of_due_times_this_history_breaks(name: str, seed: int, law: str) -> None:
    assert _laws(name, seed, STRICT) == {law}
    assert _laws(name, seed, TODAY) == set()


def test_a_takeover_that_has_read_the_run_before_a_cancel_begins_another_attempt() -> None:
    stage = history(ALL["handled stalls bare"], 28)
    journal = read(stage.world, stage.corrected)

    (broken,) = laws_outcomes.stopped(stage, journal, laws_outcomes.STRICT)
    assert broken.endswith("20261118T120040Z began another attempt")
    assert list(laws_outcomes.stopped(stage, journal)) == []
