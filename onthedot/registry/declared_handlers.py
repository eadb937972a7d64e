"""Stores the names of the handlers in `jobs/`, for functions that cannot import them."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

from onthedot.records.keys import item_key
from onthedot.store import table_reads

TABLE = "runs"
KEY = item_key("meta#handlers", "-")


def publish(names: Iterable[str]) -> None:
    """Writes the names of the present handlers."""
    table_reads.put(TABLE, KEY | {"names": sorted(names)})


def named(item: Mapping[str, Any]) -> frozenset[str]:
    """Reads the names."""
    return frozenset(item["names"])
