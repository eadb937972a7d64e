"""What a look at a due task decides: slots that fire, slots that are recorded, where it goes on."""

from __future__ import annotations

from dataclasses import dataclass, field

from onthedot.records.tasks.task_cursor import Due


@dataclass(frozen=True, slots=True)
class Firing:
    """A slot to be claimed and sent."""

    slot: int
    due: int
    origin: str
    # It comes after late ones of its task.
    behind: bool = False


@dataclass(frozen=True, slots=True)
class Unfired:
    """A slot, or a run of them up to `last`, whose outcome is recorded instead."""

    slot: int
    due: int
    status: str
    reason: str
    # The last slot of a range, and how many it stands for; a single slot's own record is none.
    last: int = 0
    count: int = 0
    origin: str = "schedule"
    note: str = ""


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What one look at a due task decides; `following` is None when no slot is left."""

    due: Due
    firings: list[Firing] = field(default_factory=list)
    unfired: list[Unfired] = field(default_factory=list)
    following: int | None = None
    # How many may fire of what lies behind is known only then; it is planned at once.
    goes_on: bool = False

    @property
    def range(self) -> Unfired | None:
        """The slots that one row stands for; what else is in such a plan are gaps of the clock."""
        return self.unfired[0] if self.unfired and self.unfired[0].count else None

    def within_bound(self, left: int) -> Plan:
        """Let as many fire as are left; but what is recorded before them goes first, and alone.

        A dispatcher that died may have run one of those, on time still, and nobody has counted it.
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
