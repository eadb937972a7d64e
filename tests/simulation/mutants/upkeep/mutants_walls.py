"""Planted faults of wall clocks: changes that are skipped, slots that come only years later."""

from __future__ import annotations

from onthedot.dispatch import due_plan
from onthedot.records.tasks.task_cursor import Due
from onthedot.schedule.slots import CronSlots
from onthedot.upkeep import new_tzdata
from tests.simulation.mutants.mutant import Mutant, Patch

_SOON_SEC = 200 * 86_400
_AHEAD_SEC = 150


def seamless() -> list[Patch]:
    """A search backwards finds no slot in the hour that a clock left out."""

    def last_in(self: CronSlots, place: int, instant: int) -> int:
        offset = self._offsets[place]
        return self._walls.prev(instant + offset) - offset

    return [(CronSlots, "_last_in", last_in)]


def never_again() -> list[Patch]:
    """A slot that is more than half a year away is never found."""
    before = CronSlots.next

    def following(self: CronSlots, after: int) -> int | None:
        slot = before(self, after)
        return None if slot is None or slot > after + _SOON_SEC else slot

    return [(CronSlots, "next", following)]


def just_behind() -> list[Patch]:
    """A slot that new zones put one second after the cursor is skipped."""
    before = due_plan._first_slot  # noqa: SLF001  # planted in the plan

    def first_slot(due: Due) -> int | None:
        slot = before(due)
        return due.schedule.next(slot) if slot == due.next_run_at + 1 else slot

    return [(due_plan, "_first_slot", first_slot)]


def gone_back() -> list[Patch]:
    """Cursors go back to what may have been claimed before the new data was there."""
    return [(new_tzdata, "LOOK_AHEAD_SEC", -_AHEAD_SEC)]


WALLS = (
    Mutant("seamless", "a shifted wall is a slot, looking back", seamless, ("asked over spring",)),
    Mutant("never again", "a slot is found years ahead", never_again, ("asked spring",)),
    Mutant("gone back", "a claim moves with nothing", gone_back, ("retimed",)),
    Mutant("just behind", "a cursor wakes at the first slot", just_behind, ("retimed",)),
)
