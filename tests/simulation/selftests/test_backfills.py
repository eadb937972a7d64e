"""The laws of backfills bite: each fault planted into one breaks a law."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from onthedot.launch.backfill import Backfill, Past
from onthedot.records.tasks import bulk_operation
from onthedot.schedule.schedule import Schedule
from tests.simulation.mutants.planted_faults import Mutant, Patch, killed_by


def _last_left_out() -> list[Patch]:
    def slots(wanted: Backfill, schedule: Schedule, since: int) -> Iterator[int]:
        return (slot for slot in before(wanted, schedule, since) if slot < wanted.last - 20)

    before = Backfill.slots
    return [(Backfill, "slots", slots)]


def _one_too_many() -> list[Patch]:
    def slots(wanted: Backfill, schedule: Schedule, since: int) -> Iterator[int]:
        for slot in schedule.slots(max(wanted.first, since) - 1):
            yield slot
            if slot > wanted.last:
                return

    return [(Backfill, "slots", slots)]


def _succeeded_again() -> list[Patch]:
    before = Past.number
    return [(Past, "number", lambda past, slot, **_: before(past, slot, only_missing=False))]


def _for_a_day() -> list[Patch]:
    return [(bulk_operation, "KEPT_SEC", 86_400)]


_FAULTS = (
    Mutant("last left out", "both ends are wanted", _last_left_out, ("extras", "backfills")),
    Mutant("one too many", "nothing behind the end", _one_too_many, ("extras", "backfills")),
    Mutant("succeeded again", "only what is missing", _succeeded_again, ("extras", "backfills")),
    Mutant("forgotten", "a backfill is kept for ninety days", _for_a_day, ("extras",)),
)


@pytest.mark.parametrize("mutant", _FAULTS, ids=lambda mutant: mutant.name)
def test_a_fault_of_backfills_breaks_a_law(mutant: Mutant) -> None:
    killer = next(killed_by(mutant), None)

    assert killer is not None, f"{mutant.name} survives: {mutant.rule}"
