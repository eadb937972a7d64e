"""Planted faults of starts: a run over which a worker was lost, and others beside it."""

from __future__ import annotations

from onthedot.work import prepared_start, worker
from onthedot.work.batch import Batch
from tests.simulation.mutants.mutant import Mutant, Patch


def trusted_by_all() -> list[Patch]:
    """Who killed its worker runs beside others again."""
    return [(worker, "suspect", lambda _run, _now_ms: False)]


def said_to_have_waited() -> list[Patch]:
    """Every run for which there is a line says that it stood in it."""
    may_wait = prepared_start._may_wait  # noqa: SLF001  # planted in the flow
    return [(prepared_start, "_waited", lambda job: "line" if may_wait(job) else "")]


def split_counts_as_sent() -> list[Patch]:
    """A pack of whose parts SQS took none is done with."""
    original = Batch.split

    def split(self: Batch) -> None:
        original(self)
        self.put_back.clear()

    return [(Batch, "split", split)]


def shut_out_late() -> list[Patch]:
    """A run that must not run with a suspect waits a second first."""
    return [(worker, "was_lost", lambda _run: False)]


STARTS = (
    Mutant(
        "shut out late",
        "0019: who is shut out by a suspect goes at once",
        shut_out_late,
        ("deaths in company", "deaths in company bare"),
    ),
    Mutant(
        "split counts as sent",
        "L2: what has a part in no message yet comes back whole",
        split_counts_as_sent,
        ("unheard splits bare", "unheard splits of gates bare", "unheard splits of a quota bare"),
        seed=2,
    ),
    Mutant(
        "said to have waited",
        "only who stands in a line says so",
        said_to_have_waited,
        ("lines", "tenant's line", "calm"),
    ),
    Mutant(
        "trusted by all",
        "a suspect is worked alone",
        trusted_by_all,
        ("siblings", "capped", "deaths bare"),
    ),
)
