"""A dispatcher that fires nothing is caught in every profile, by its first history with a run."""

from __future__ import annotations

import pytest

from onthedot.records.keys import is_slot_key
from tests.simulation.histories import history, verdict
from tests.simulation.machine.journal import read
from tests.simulation.mutants.planted_faults import Mutant, planted
from tests.simulation.mutants.running.mutants_outcomes import REASONS, fires_nothing
from tests.simulation.profiles.all_profiles import ALL

_SEEDS_MAX = 3


def _asks_for_a_run(name: str, seed: int) -> bool:
    """Tells whether a slot fires where nothing is planted."""
    stage = history(ALL[name], seed)
    changes = read(stage.world, stage.corrected).changes
    return any(change.started and is_slot_key(change.key) for change in changes)


@pytest.mark.parametrize("name", ALL)
def test_a_dispatcher_that_fires_nothing_breaks_a_law_in(name: str) -> None:
    reason = REASONS[list(ALL).index(name) % len(REASONS)]
    mutant = Mutant("fires nothing", "", lambda: fires_nothing(reason), (name,))

    # A history that shows it has a slot that ought to fire; of another, that must be asked.
    for seed in range(_SEEDS_MAX):
        with planted(mutant):
            laws = verdict(ALL[name], seed)
        if _shows(name, laws):
            return
        assert not _asks_for_a_run(name, seed), f"seed {seed} asks for a run: {laws}"
    pytest.fail(f"none of the first {_SEEDS_MAX} histories asks for a run")


def _shows(name: str, laws: list[str]) -> bool:
    """Where tables do not tell what has happened, other laws ask who was called."""
    alone = ALL[name].course.auditor.alone
    return any(alone or law.startswith("unfounded") for law in laws)
