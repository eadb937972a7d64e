"""Fills pages: a list is walked until enough of it is shown, or enough was looked at."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
Shown = TypeVar("Shown")

# Items that a page may look at. It may be short then, or empty.
LOOKED_AT_MAX = 1_000
# Bytes of a page before it ends. An answer of Lambda has at most six megabytes.
BYTES_MAX = 1_000_000
# Items of one read if not all of them are shown.
CHUNK = 100


@dataclass(frozen=True, slots=True)
class Walked(Generic[Item]):
    """Some items, and what to ask for the next ones with, if there may be more."""

    items: Sequence[Item]
    last: Any
    # Whether enough was read for this page, even if little is shown.
    enough: bool = False


def fill(
    read: Callable[[int, Any], Walked[Item]],
    show: Callable[[Sequence[Item]], Sequence[Shown | None]],
    *,
    limit: int,
    start: Any,  # noqa: ANN401  # a key of the store
    chunk: int,
    size: Callable[[Shown], int] = lambda _: 0,
) -> tuple[list[Shown], Any]:
    """Returns the items of a page, and the item after which the next page begins, if any.

    `show` returns what is shown of an item, or None to leave it out. `size` measures it if it may
    be large.
    """
    found: list[Shown] = []
    looked_at = written = 0
    while True:
        page = read(min(chunk, LOOKED_AT_MAX - looked_at), start)
        for place, shown in enumerate(show(page.items), start=1):
            if shown is not None:
                found.append(shown)
                written += size(shown)
            if len(found) == limit or written >= BYTES_MAX:
                return found, page.last if place == len(page.items) else page.items[place - 1]
        looked_at += len(page.items)
        start, chunk = page.last, CHUNK
        if start is None or page.enough or looked_at >= LOOKED_AT_MAX:
            return found, start


def written_size(shown: Any) -> int:  # noqa: ANN401  # any JSON
    """Returns the bytes that it takes in an answer."""
    return len(json.dumps(shown, default=str))
