"""Pages that are full: a list is walked until enough of it is shown, or enough was looked at."""

from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Generic, TypeVar

Item = TypeVar("Item")
Shown = TypeVar("Shown")

# How many items a page may look at; it may be short then, or empty.
LOOKED_AT_MAX = 1_000
# What a page may have in bytes before it ends: an answer of Lambda has six megabytes at most.
BYTES_MAX = 1_000_000
# Items of a read where not all of them are shown.
CHUNK = 100


@dataclass(frozen=True, slots=True)
class Walked(Generic[Item]):
    """Some items, and what the next ones are asked for with, if there may be more."""

    items: Sequence[Item]
    last: Any
    # Whether enough was read for this page, whatever it shows.
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
    """Give what a page shows, and behind which item the next one begins, if there is one.

    `show` says of each item what is shown of it; None leaves it out. `size` measures it, where
    that may be much.
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
    """Tell how many bytes it has in an answer."""
    return len(json.dumps(shown, default=str))
