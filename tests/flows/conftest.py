"""A calm world for each test; what broke in it for a reason of its own fails the test."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.flows.calm import employ
from tests.simulation.stage import Stage, make_stage, staged


@pytest.fixture
def stage() -> Iterator[Stage]:
    made = make_stage(1)
    with staged(made):
        employ(made)
        yield made
        made.world.close()
    assert made.world.bugs() == []
