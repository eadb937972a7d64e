"""Planted faults of cost: a call, a read or a write more than a run needs."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from onthedot.adapters import claims, clock, tables
from onthedot.core import moves
from onthedot.core import run as runs
from onthedot.core.writes import Outcome, Write
from onthedot.flows import gate, gates, patience, permits, ready, starting
from onthedot.flows.job import Job
from tests.simulation.mutant import Mutant, Patch


def read_again() -> list[Patch]:
    """Each run's row is read once more before it starts."""
    beginning = ready.begin

    def begin(starts: Sequence[Job], worker: str) -> Any:
        for one in starts:
            tables.get(runs.TABLE, runs.row_key(one.held.run_id))
        return beginning(starts, worker)

    return [(starting, "begin", begin)]


def marked_first() -> list[Patch]:
    """Each start is announced on the row before it is made."""
    beginning = ready.begin

    def begin(starts: Sequence[Job], worker: str) -> Any:
        now_ms = clock.now_ms()
        claims.write_many([moves.mark(one.held, one.held.life, now_ms=now_ms) for one in starts])
        return beginning(starts, worker)

    return [(starting, "begin", begin)]


def left_twice() -> list[Patch]:
    """A key's gate is looked at once more by who leaves the task's own."""
    return [(gates, "gate", _Twice())]


class _Twice:
    """The module, but for one thing."""

    def __getattr__(self, name: str) -> Any:
        return getattr(gate, "give_up" if name == "release" else name)


def advanced_one_by_one() -> list[Patch]:
    """Each write of a batch is a call of its own."""
    writing: Callable[..., list[Outcome]] = patience.write

    def write(writes: Sequence[Write], over: Any) -> list[Outcome]:
        return [outcome for one in writes for outcome in writing([one], over)]

    return [(patience, "write", write)]


def permits_read_again() -> list[Patch]:
    """Who has a permit looks once more."""
    entering = permits.enter

    def enter(batch: Any, jobs: Sequence[Job], *, worker: str) -> list[Job]:
        entered = entering(batch, jobs, worker=worker)
        for one in entered:
            permits.all_taken(one.held.tenant_id)
        return entered

    return [(permits, "enter", enter)]


COSTS = (
    Mutant("read again", "one read of a run and its task", read_again, ("costs",)),
    Mutant("marked first", "a start is one write", marked_first, ("costs",)),
    Mutant("left twice", "0064: two reads more for a key", left_twice, ("costs",), seed=10),
    Mutant("one by one", "writes go by 25", advanced_one_by_one, ("costs",)),
    Mutant("permits again", "0070: three queries", permits_read_again, ("costs of a quota",)),
)
