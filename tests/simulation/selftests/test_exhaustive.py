"""A crash at each effect of a small history, one by one; in pairs a sample, and all on demand."""

from __future__ import annotations

import pytest

from tests.simulation.play.small_history import judged, single_plans, some_pairs

PAIRS = 60


def test_no_law_breaks_undisturbed() -> None:
    assert judged(()) == []


def test_no_law_breaks_by_a_crash_at_any_effect() -> None:
    broken = {plan: laws for plan in single_plans() if (laws := judged(plan))}

    assert broken == {}


@pytest.mark.parametrize("seed", range(4))
def test_no_law_breaks_by_a_second_crash(seed: int) -> None:
    broken = {plan: laws for plan in some_pairs(PAIRS, seed) if (laws := judged(plan))}

    assert broken == {}
