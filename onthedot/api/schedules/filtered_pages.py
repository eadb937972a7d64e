"""Walks a tenant's index until a page is full of items that pass the filters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any, Literal

from aws_lambda_powertools.event_handler.openapi.params import Query

from onthedot.api.door.full_pages import CHUNK, Walked, fill, written_size
from onthedot.api.views import schedule_filter
from onthedot.store import table_pages

Text = Annotated[str | None, Query(min_length=1, max_length=200)]
Target = Annotated[
    Literal["python", "http", "sqs", "sns", "lambda", "eventbridge", "stepfunctions", "pull"]
    | None,
    Query(),
]
Item = Mapping[str, Any]
Entry = dict[str, Any]


def choose(
    known: Item,
    entries: Callable[[Sequence[Item]], Sequence[Entry]],
    wanted: Mapping[str, str],
    *,
    limit: int,
    start: Item | None,
) -> tuple[list[tuple[Item, Entry]], Item | None]:
    """Returns the items of the page with their entries, and where the next page begins."""

    def read(size: int, begin: Item | None) -> Walked[Item]:
        page = table_pages.by_tenant(known["listed"], limit=size, start=begin)
        return Walked(page.items, page.last)

    def show(items: Sequence[Item]) -> list[tuple[Item, Entry] | None]:
        shown = zip(items, entries(items), strict=True)
        return [pair if schedule_filter.holds(pair[1], wanted) else None for pair in shown]

    return fill(
        read,
        show,
        limit=limit,
        start=start,
        chunk=CHUNK if wanted else limit,
        size=lambda pair: written_size(pair[1]),
    )


def given(**filters_asked: str | None) -> dict[str, str]:
    """Returns the filters that were asked for."""
    return {name: value for name, value in filters_asked.items() if value is not None}
