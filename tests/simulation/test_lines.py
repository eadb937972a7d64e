"""What the documents will promise of order, and which histories of today break it."""

from __future__ import annotations

import pytest

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
