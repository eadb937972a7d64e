"""Planted faults of what a tick tells of itself."""

from __future__ import annotations

from onthedot.core.herd import Herd
from onthedot.flows.tick import Tick
from tests.simulation.mutant import Mutant, Patch


def last_part() -> list[Patch]:
    """Of several parts of a tick only the last one is counted."""

    def count(tick: Tick, name: str, number: int) -> None:
        tick.counts[name] = number

    return [(Tick, "count", count)]


def overdue_only() -> list[Patch]:
    """Only what is overdue is said to be due."""
    return [(Herd, "seen", property(lambda herd: herd.behind, lambda _herd, _seen: None))]


TICKS = (
    Mutant("last part", "a tick counts all that it did", last_part, ("siblings",)),
    Mutant("overdue only", "a tick counts all that was due", overdue_only, ("calm",)),
)
