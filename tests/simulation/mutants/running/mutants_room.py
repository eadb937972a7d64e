"""Planted faults of room: places that slow runs hold, tenants that take all of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from types import SimpleNamespace
from typing import Any

from onthedot.work import refill
from onthedot.work.job import Job
from onthedot.work.refill import Refill
from tests.simulation.mutants.mutant import Mutant, Patch


class _Blind(Counter[str]):
    """Counts, and shows nothing of it."""

    def __getitem__(self, _name: str) -> int:
        return 0


def places_held() -> list[Patch]:
    """A worker that slow runs keep receives nothing more."""
    return [(Refill, "moment_ms", lambda _self, _running: None)]


def all_of_it() -> list[Patch]:
    """A tenant takes what it finds."""
    return [(refill, "Counter", _Blind)]


def untold() -> list[Patch]:
    """The row of a run that is put off does not say so."""
    return [(refill, "_to_mark", lambda _run, _now_ms: False)]


def late_too() -> list[Patch]:
    """A slot that is late already is put off as if it had been taken up."""
    return [(refill, "is_late", lambda _due_ms, _now_ms: False)]


def in_company() -> list[Patch]:
    """A run whose worker was lost gets others beside it."""
    return [(refill, "was_lost", lambda _run: False)]


def lying() -> list[Patch]:
    """What is received here is left to come back by itself where it is done with."""
    admitting = Refill._admitted  # noqa: SLF001

    def admitted(self: Refill, fresh: Any, in_hand: Sequence[Job]) -> list[Job]:
        before = list(self.batch.messages)
        jobs = admitting(self, fresh, in_hand)
        self.batch.messages = before
        return jobs

    return [(Refill, "_admitted", admitted)]


def unseen() -> list[Patch]:
    """What is in hand already is taken once more."""
    names = SimpleNamespace(token=lambda _length: "W", fraction=lambda: 0.5)
    taking = Refill.taken

    def taken(self: Refill, _in_hand: Sequence[Job]) -> list[Job]:
        return taking(self, [])

    return [(Refill, "taken", taken), (refill, "ids", names)]


MUTANTS = (
    Mutant("places held", "a slow run holds no place", places_held, ("slow calls",)),
    Mutant("all of it", "half of the room is for the others", all_of_it, ("slow neighbours",)),
    Mutant("untold wait", "who waits for room is taken up", untold, ("slow neighbours",)),
    Mutant("late too", "a late slot is misfire's", late_too, ("late neighbours bare",)),
    Mutant("in company", "a suspect is worked alone", in_company, ("slow and deadly",), seed=66),
    Mutant("lying", "what is received is struck off as what is brought", lying, ("slow calls",)),
    Mutant("unseen", "no run is twice in hand", unseen, ("slow and rough",), seed=3),
)
