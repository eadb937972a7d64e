"""Lists of the API, walked from page to page; one may be short or empty before the last."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from onthedot.client.transport import Transport


def walk(transport: Transport, path: str, filters: Mapping[str, object]) -> Iterator[Any]:
    """Give one after another."""
    query = named(filters)
    while True:
        page = transport.call("GET", path, query=query)
        yield from page["data"]
        if not page.get("next_cursor"):
            return
        query["cursor"] = page["next_cursor"]


def named(fields: Mapping[str, object]) -> dict[str, Any]:
    """Give fields by the API's own names: `from_` is the one that Python has no room for."""
    return {name.removesuffix("_"): value for name, value in fields.items()}
