"""A calm world for each test; what broke in it for a reason of its own fails the test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from onthedot.store import clock
from tests.simulation.calm import employ
from tests.simulation.stage import Stage, make_stage, staged


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = make_stage(1)
    with staged(made):
        # A tick that an earlier test called in this thread may have corrected it.
        clock.correct(0)
        employ(made)
        yield made
        made.world.close()
    assert made.world.bugs() == []
