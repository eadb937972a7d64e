"""Planted faults of workers: what they are slow at, too quick at, or do not say."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from onthedot.work import awaited_completion, heartbeat, job, prepared_start, settlement, starts
from onthedot.work.batch import Batch
from onthedot.work.decision_table import Skip
from onthedot.work.job import Job
from tests.simulation.mutants.mutant import Mutant, Patch


def one_try() -> list[Patch]:
    """A start that the store did not take is left to its message."""
    return [(starts, "in_time", lambda _job: False)]


def at_once_again() -> list[Patch]:
    """A start that the store did not take is asked for again without a pause."""
    return [(starts, "put_off", list)]


def no_patience() -> list[Patch]:
    """A handler is given up in the very second in which its time is over."""
    return [(job, "ABANDON_SEC", 0)]


def looked_at_always() -> list[Patch]:
    """An execution is looked at each second."""
    each = [(module, "next_look_sec", lambda *_: 1) for module in (settlement, awaited_completion)]
    return [*each]


def line_untold() -> list[Patch]:
    """Who stood in a line does not say so."""
    return [(prepared_start, "_may_wait", lambda _job: False)]


def long_untold() -> list[Patch]:
    """What takes nearly all of its time is on no list."""
    return [(heartbeat, "_long", lambda *_: False)]


def covered_unsaid() -> list[Patch]:
    """What a range accounts for is not run, and has no outcome of its own."""
    original = starts._skip  # noqa: SLF001  # planted in the flow

    def skip(batch: Batch, skipping: Sequence[tuple[Job, Skip]]) -> Any:
        said = [(job, why) for job, why in skipping if why.reason != "coalesced"]
        return original(batch, said)

    return [(starts, "_skip", skip)]


WORKERS = (
    Mutant("one try", "a start is asked for again for a while", one_try, ("throttled free",)),
    Mutant("at once again", "who is refused waits", at_once_again, ("throttled free",)),
    Mutant("no patience", "a handler may see its deadline", no_patience, ("deaf", "overtime")),
    Mutant("looked at always", "a look has its time", looked_at_always, ("executions",)),
    Mutant("line untold", "a row says that it stood in a line", line_untold, ("tenant's line",)),
    Mutant("long untold", "what takes long is listed", long_untold, ("handled", "deaf"), seed=4),
    Mutant("covered unsaid", "each run has its outcome", covered_unsaid, ("covered",)),
)
