"""Planted faults of what a tick tells of itself, and of what it does first."""

from __future__ import annotations

from onthedot.dispatch.due_tasks import Herd
from onthedot.dispatch.tick import Tick
from onthedot.store import table_reads
from tests.simulation.mutants.mutant import Mutant, Patch


def last_part() -> list[Patch]:
    """Of several parts of a tick only the last one is counted."""

    def count(tick: Tick, name: str, number: int) -> None:
        tick.counts[name] = number

    return [(Tick, "count", count)]


def overdue_only() -> list[Patch]:
    """Only what is overdue is said to be due."""
    return [(Herd, "seen", property(lambda herd: herd.behind, lambda _herd, _seen: None))]


def overdue_first() -> list[Patch]:
    """A tick catches up on what is overdue before it claims what is on time."""
    before = Herd.take_on_time

    def take_on_time(herd: Herd) -> list[table_reads.Item]:
        late = herd.overdue
        herd.late.clear()
        return [*late, *before(herd)]

    return [(Herd, "take_on_time", take_on_time)]


TICKS = (
    Mutant("last part", "a tick counts all that it did", last_part, ("siblings",)),
    Mutant("overdue first", "what is on time goes first", overdue_first, ("circuit", "lists")),
    Mutant("overdue only", "a tick counts all that was due", overdue_only, ("calm",)),
)
