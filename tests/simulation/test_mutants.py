"""Each rule of the protocol, left out, is noticed by some history."""

from __future__ import annotations

import gc
from collections.abc import Iterator

import pytest

from tests.simulation.mutants import MUTANTS, Mutant, killed_by


@pytest.fixture(autouse=True)
def _collector() -> Iterator[None]:
    """Many small objects live as long as their history."""
    gc.disable()
    yield
    gc.enable()
    gc.collect()


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_a_history_shows_what_is_left_out(mutant: Mutant) -> None:
    killer = next(killed_by(mutant), None)

    assert killer is not None, f"{mutant.name} survives: {mutant.rule}"
