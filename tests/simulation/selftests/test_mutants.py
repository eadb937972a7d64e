"""The laws bite: every planted fault breaks one, and the flows as they are break none there."""

from __future__ import annotations

import pytest

from tests.simulation.mutants.planted_faults import MUTANTS, Mutant, killed_by
from tests.simulation.mutants.strangers import STRANGERS

# Left out without a history that shows it, and why the rule stays.
UNBITTEN = {
    "F14": "is about the audit hiding faults: every profile has its twin without it",
    "F17": "one manifest an invocation is a matter of cost; the bench holds it",
    "sent inside a blackout": "the edit that put it there has sent them: a second belt, for a "
    "dispatcher that planned before the edit, claimed after its stamp, and died",
}


@pytest.mark.parametrize("mutant", [*MUTANTS, *STRANGERS], ids=lambda mutant: mutant.name)
def test_some_history_shows(mutant: Mutant) -> None:
    killer = next(killed_by(mutant), None)

    assert killer is not None, f"{mutant.name} survives: {mutant.rule}"


def test_every_finding_has_its_mutant_or_a_reason() -> None:
    rules = " ".join(mutant.rule.replace(",", " ").replace(":", " ") for mutant in MUTANTS).split()
    unheard = [f"F{number}" for number in range(1, 21) if f"F{number}" not in rules]

    assert sorted(unheard) == sorted(rule for rule in UNBITTEN if rule.startswith("F"))
