"""The laws of lists bite: a run that the audit could not find, or that is told nowhere."""

from __future__ import annotations

from typing import Any

import pytest

from onthedot.dispatch import plan_effects
from onthedot.records.runs import manifest
from onthedot.records.runs.manifest import Entry, Manifest
from onthedot.store import table_reads
from tests.simulation.mutants.planted_faults import Mutant, Patch, killed_by


def _unwritten() -> list[Patch]:
    return [(plan_effects, "write_lists", lambda *_: None)]


def _dropped() -> list[Patch]:
    """What is carried on is lost."""

    def put(table: str, item: dict[str, Any]) -> None:
        if not str(item["scheduled_for"]).endswith("+"):
            before(table, item)

    before = table_reads.put
    return [(table_reads, "put", put)]


def _untold() -> list[Patch]:
    return [(manifest, "recent", lambda *_: [])]


def _told_by_key() -> list[Patch]:
    """Jitter and retries are forgotten: each run is told at the time of its key."""
    return [(Entry, "due_at", lambda entry, _: entry._replace(after_ms=0))]


def _never_deleted() -> list[Patch]:
    return [(table_reads, "delete", lambda *_: None)]


def _kept_for_an_hour() -> list[Patch]:
    before = Manifest.item
    return [(Manifest, "item", lambda one: before(one) | {"expires_at": one.since_ms // 1000})]


_FAULTS = (
    Mutant("unwritten", "a list before a claim", _unwritten, ("calm",)),
    Mutant("dropped", "what is open is carried on", _dropped, ("retries",)),
    Mutant("untold", "what is over is told", _untold, ("calm",)),
    Mutant("told by key", "by the time that it was due", _told_by_key, ("calm",)),
    Mutant("never deleted", "what was looked at is deleted", _never_deleted, ("calm",)),
    Mutant("kept for an hour", "for three days", _kept_for_an_hour, ("calm bare",)),
)


@pytest.mark.parametrize("mutant", _FAULTS, ids=lambda mutant: mutant.name)
def test_a_fault_of_lists_breaks_a_law(mutant: Mutant) -> None:
    killer = next(killed_by(mutant), None)

    assert killer is not None, f"{mutant.name} survives: {mutant.rule}"
