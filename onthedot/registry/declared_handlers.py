"""The names of the handlers in `jobs/`: written by a deployment, for who cannot import them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from onthedot.store import table_reads

TABLE = "runs"
KEY = {"task_id": "meta#handlers", "scheduled_for": "-"}


def publish(names: Iterable[str]) -> None:
    """Write which handlers there are now."""
    table_reads.put(TABLE, KEY | {"names": sorted(names)})


def named(item: Mapping[str, Any]) -> frozenset[str]:
    """Read them."""
    return frozenset(item["names"])
