"""Each test of the simulation leaves what it made to one search for cycles."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from tests.simulation.play.garbage_pause import uncollected


@pytest.fixture(autouse=True)
def _uncollected() -> Iterator[None]:
    with uncollected():
        yield
