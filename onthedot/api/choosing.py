"""Walking a tenant's index until a page is full of what the filters let through."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler.openapi.params import Query

from onthedot.adapters import listing
from onthedot.core import filters

Text = Annotated[str | None, Query(min_length=1, max_length=200)]
Target = Annotated[
    Literal["python", "http", "sqs", "sns", "lambda", "eventbridge", "stepfunctions", "pull"]
    | None,
    Query(),
]
Item = Mapping[str, Any]
Entry = dict[str, Any]
# How many entries a filter may look at for one page, which may be short then, or empty.
LOOKED_AT_MAX = 1_000
_PAGE = 100


def choose(
    known: Item,
    entries: Callable[[Sequence[Item]], Sequence[Entry]],
    wanted: Mapping[str, str],
    *,
    limit: int,
    start: Item | None,
) -> tuple[list[tuple[Item, Entry]], Item | None]:
    """Give the items of the page with their entries, and behind which one the next page begins."""
    found: list[tuple[Item, Entry]] = []
    last = start
    for _ in range(LOOKED_AT_MAX // _PAGE if wanted else 1):
        page = listing.by_tenant(known["listed"], limit=_PAGE if wanted else limit, start=last)
        for item, entry in zip(page.items, entries(page.items), strict=True):
            if filters.holds(entry, wanted):
                found.append((item, entry))
            if len(found) == limit:
                return found, page.last if item is page.items[-1] else item
        last = page.last
        if last is None:
            break
    return found, last


def given(**filters_asked: str | None) -> dict[str, str]:
    """Keep the filters that were asked for."""
    return {name: value for name, value in filters_asked.items() if value is not None}
