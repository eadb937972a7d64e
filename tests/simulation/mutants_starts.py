"""Planted faults of starts: a run over which a worker was lost, and others beside it."""

from __future__ import annotations

from onthedot.flows import ready, suspects
from tests.simulation.mutant import Mutant, Patch


def trusted_by_all() -> list[Patch]:
    """Who killed its worker runs beside others again."""
    return [(suspects, "suspect", lambda _run, _now_ms: False)]


def said_to_have_waited() -> list[Patch]:
    """Every run for which there is a line says that it stood in it."""
    return [(ready, "_waited", lambda job: "line" if ready._may_wait(job) else "")]  # noqa: SLF001  # planted in the flow


STARTS = (
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
