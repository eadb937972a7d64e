"""Planted faults of starts: a run over which a worker was lost, and others beside it."""

from __future__ import annotations

from onthedot.flows import suspects
from tests.simulation.mutant import Mutant, Patch


def trusted_by_all() -> list[Patch]:
    """Who killed its worker runs beside others again."""
    return [(suspects, "suspect", lambda _run, _now_ms: False)]


STARTS = (
    Mutant(
        "trusted by all",
        "a suspect is worked alone",
        trusted_by_all,
        ("siblings", "capped", "deaths bare"),
    ),
)
