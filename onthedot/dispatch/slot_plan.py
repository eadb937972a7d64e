"""Describes what one look at a due task decides: slots to fire, slots to record, what is next."""

from __future__ import annotations

from dataclasses import dataclass, field

from onthedot.records.tasks.task_cursor import Due


@dataclass(frozen=True, slots=True)
class Firing:
    """A slot to be claimed and sent."""

    slot: int
    due: int
    origin: str
    # It waits behind late slots of its task.
    behind: bool = False


@dataclass(frozen=True, slots=True)
class Unfired:
    """A slot, or a run of slots up to `last`, whose outcome is recorded without a run."""

    slot: int
    due: int
    status: str
    reason: str
    # The last slot of a range, and the number of its slots. Both are 0 for a single slot.
    last: int = 0
    count: int = 0
    origin: str = "schedule"
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What one look at a due task decides. `following` is None if no slot is left."""

    due: Due
    firings: list[Firing] = field(default_factory=list)
    unfired: list[Unfired] = field(default_factory=list)
    following: int | None = None
    # How many of the next slots may fire is known only then. They are planned at once.
    goes_on: bool = False

    @property
    def range(self) -> Unfired | None:
        """Returns the range of the plan. The rest of such a plan are gaps of the clock."""
        return self.unfired[0] if self.unfired and self.unfired[0].count else None

    def within_bound(self, left: int) -> Plan:
        """Lets only as many fire as are left. What is recorded before them goes first, alone.

        A dispatcher that died may have fired one of those on time without counting it.
        """
        if not self.firings:
            return self
        first, last = self.firings[0], self.firings[:left][-1]
        before = [record for record in self.unfired if record.slot < first.slot]
        if before:
            return Plan(due=self.due, unfired=before, following=first.due, goes_on=True)
        if len(self.firings) < left:
            return self
        return Plan(
            due=self.due,
            firings=self.firings[:left],
            unfired=[record for record in self.unfired if record.slot < last.slot],
            following=self.due.due_after(last.slot),
            goes_on=True,
        )
