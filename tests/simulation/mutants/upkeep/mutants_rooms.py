"""Planted faults of what a tenant has left of its tasks."""

from __future__ import annotations

from typing import Any

from onthedot.registry import task_quota
from onthedot.store.access import key_items
from tests.simulation.mutants.mutant import Mutant, Patch


def forgiven() -> list[Patch]:
    """Who has more than it may is counted as if it had just as much."""

    class Stored:
        def recounted(self, tenant_id: str, *, left: int, **given: Any) -> None:
            key_items.recounted(tenant_id, left=max(0, left), **given)

    return [(task_quota, "key_items", Stored())]


ROOMS = (
    Mutant("forgiven", "a lowered limit is counted below zero", forgiven, ("asked names",), 100),
)
