"""Lists the audit trail: who did what, when, with which key, and what the system did itself."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import UTC, datetime, timedelta
from heapq import merge
from itertools import chain, islice
from typing import Annotated, Any

from aws_lambda_powertools.event_handler import Response
from aws_lambda_powertools.event_handler.openapi.params import Query

from onthedot.api.door.full_pages import CHUNK, Walked, fill, written_size
from onthedot.api.door.pages import Cursor, Limit, Listing
from onthedot.api.door.request import tenant
from onthedot.api.door.responses import Handlers
from onthedot.records.access import api_key, audit_trail
from onthedot.store import aws, clock, table_reads

_MONTHS = audit_trail.KEPT_SEC // (28 * 86_400) + 1
_PAGE = 200
_SHOWN = ("at", "key_id", "what", "about", "request_id", "before", "after")
Word = Annotated[str | None, Query(min_length=1, max_length=128)]
Item = dict[str, Any]


def index(
    what: Word = None,
    about: Word = None,
    key_id: Word = None,
    *,
    limit: Limit = 50,
    cursor: Cursor = None,
) -> Response[str]:
    """List who changed what, the newest first."""
    given = {"what": what, "about": about, "key_id": key_id}
    wanted = {name: value for name, value in given.items() if value is not None}
    pages = Listing(known={}, names=("sort",))
    begun = pages.start(cursor)
    lines = _newest_first(begun["sort"] if begun else None)
    ahead: list[tuple[str, Item]] = []

    def read(size: int, _: Any) -> Walked[tuple[str, Item]]:  # noqa: ANN401  # it goes on by itself
        found = [*ahead, *islice(lines, size + 1 - len(ahead))]
        ahead[:] = found[size:]
        return Walked(found[:size], found[size - 1] if ahead else None)

    def show(found: Sequence[tuple[str, Item]]) -> list[Item | None]:
        return [_shown(item) if _fits(item, wanted) else None for _, item in found]

    chunk = CHUNK if wanted else limit
    shown, last = fill(read, show, limit=limit, start=None, chunk=chunk, size=written_size)
    return pages.answer(shown, {"sort": last[0]} if last else None)


def _fits(item: Item, wanted: Mapping[str, str]) -> bool:
    return all(item[name] == value for name, value in wanted.items())


def _shown(item: Item) -> Item:
    return {name: item[name] for name in _SHOWN}


def _newest_first(before: str | None) -> Iterator[tuple[str, Item]]:
    """Merges what callers did, month by month, with what the system did by itself."""
    now_ms = clock.now_ms()
    until = before or f"{datetime.fromtimestamp(now_ms / 1000, UTC):%Y-%m}~"
    both = merge(_of_callers(until), _of_itself(until), key=_sort, reverse=True)
    return ((_sort(item), item) for item in both if before is None or _sort(item) < before)


def _of_callers(until: str) -> Iterator[Item]:
    """Walks what callers did. Most pages end in the newest month; the others are read at once."""
    of = tenant()

    def begun(month: str) -> Iterator[Item]:
        rows = _rows(("pk", f"audit#{of}#{month}"), "sk", until, table=api_key.TABLE)
        return chain(list(islice(rows, 1)), rows)

    newest, *older = _months(until[:7])
    yield from begun(newest)
    yield from chain.from_iterable(aws.in_parallel(begun, older))


def _of_itself(until: str) -> Iterator[Item]:
    partition = ("task_id", f"{audit_trail.OF_ITSELF}{tenant()}")
    return _rows(partition, "scheduled_for", until)


def _rows(
    partition: tuple[str, str], sort: str, until: str, table: str = audit_trail.RUNS
) -> Iterator[Item]:
    return table_reads.rows(
        partition,
        sort,
        ("0", until),
        table=table,
        newest_first=True,
        page=_PAGE,
        consistent=False,
    )


def _sort(item: Item) -> str:
    return str(item["sk"] if "sk" in item else item["scheduled_for"])


def _months(first: str) -> list[str]:
    """Returns the months that may have kept lines, from one month back."""
    day = datetime.fromisoformat(f"{first}-01")
    months = [first]
    for _ in range(_MONTHS):
        day = (day - timedelta(days=1)).replace(day=1)
        months.append(f"{day:%Y-%m}")
    return months


HANDLERS: Handlers = {"GET /v1/audit": index}
