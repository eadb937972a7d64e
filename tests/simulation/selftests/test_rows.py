"""The laws of rows bite: a row that tells what did not happen breaks one."""

from __future__ import annotations

import pytest

from onthedot.dispatch import plan_effects
from onthedot.records.runs import attempts, attention, run_writes
from onthedot.schedule.time.instants import nominal
from onthedot.targets import attempt_outcome
from onthedot.work import heartbeat, prepared_start
from tests.simulation.mutants.planted_faults import Mutant, Patch, killed_by


def _leases_too_long() -> list[Patch]:
    return [(prepared_start, "LEASE_SEC", 21)]


def _extended_too_long() -> list[Patch]:
    return [(heartbeat, "LEASE_SEC", 30)]


def _records_lost() -> list[Patch]:
    return [(attempt_outcome, "ATTEMPTS_KEPT", 1)]


def _said_otherwise() -> list[Patch]:
    before = attempts.attempt_record
    return [
        (
            attempt_outcome,
            "attempt_record",
            lambda attempt, _, *told: before(attempt, "refused", *told),
        )
    ]


def _unlisted() -> list[Patch]:
    return [(attention, "LISTED", frozenset({"retrying"}))]


def _kept_for_a_day() -> list[Patch]:
    return [(run_writes, "HISTORY_SEC", 86_400)]


def _a_second_early() -> list[Patch]:
    """Claimed under a key that is no slot's."""
    return [(plan_effects, "nominal", lambda slot: nominal(slot - 1))]


_FAULTS = (
    Mutant("second early", "its key is its slot", _a_second_early, ("calm",)),
    Mutant("long lease", "20 s from its start", _leases_too_long, ("calm",)),
    Mutant("long extension", "20 s from its heartbeat", _extended_too_long, ("deaths",)),
    Mutant("records lost", "one record an attempt", _records_lost, ("retries",)),
    Mutant("said otherwise", "the record says what was answered", _said_otherwise, ("retries",)),
    Mutant("unlisted", "what is dead wants attention", _unlisted, ("retries",)),
    Mutant("forgotten", "the history is kept for ninety days", _kept_for_a_day, ("calm",)),
)


@pytest.mark.parametrize("mutant", _FAULTS, ids=lambda mutant: mutant.name)
def test_a_row_that_tells_otherwise_breaks_a_law(mutant: Mutant) -> None:
    killer = next(killed_by(mutant), None)

    assert killer is not None, f"{mutant.name} survives: {mutant.rule}"
