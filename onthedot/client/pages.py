"""Walks lists of the API page by page. A page before the last may be short or empty."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from onthedot.client.transport import Transport


def walk(transport: Transport, path: str, filters: Mapping[str, object]) -> Iterator[Any]:
    """Yields one item after another."""
    query = named(filters)
    while True:
        page = transport.call("GET", path, query=query)
        yield from page["data"]
        if not page.get("next_cursor"):
            return
        query["cursor"] = page["next_cursor"]


def named(fields: Mapping[str, object]) -> dict[str, Any]:
    """Returns fields by the API's own names. Python reserves `from`, so that one is `from_`."""
    return {name.removesuffix("_"): value for name, value in fields.items()}
