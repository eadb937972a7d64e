"""Planted faults of what a tenant has left of its tasks."""

from __future__ import annotations

from typing import Any

from onthedot.store.access import access_table
from tests.simulation.mutants.mutant import Mutant, Patch


def forgiven() -> list[Patch]:
    """Who has more than it may is counted as if it had just as much."""
    counting = access_table.recounted

    def recounted(tenant_id: str, *, left: int, **given: Any) -> None:
        counting(tenant_id, left=max(0, left), **given)

    return [(access_table, "recounted", recounted)]


ROOMS = (
    Mutant("forgiven", "a lowered limit is counted below zero", forgiven, ("asked names",), 100),
)
