"""Begins, finds, lists and stops bulk operations of a tenant: backfills and dead letters."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from aws_lambda_powertools.event_handler import Response

from onthedot.api.door.full_pages import CHUNK, Walked, fill
from onthedot.api.door.pages import Listing
from onthedot.api.door.request import asked, own_id, tenant, tried_before
from onthedot.records.problems import Problem, not_found
from onthedot.records.tasks import bulk_operation
from onthedot.records.tasks.bulk_operation import Loop, Named
from onthedot.store import clock, table_pages
from onthedot.upkeep import bulk_operations

Item = Mapping[str, Any]


def named(prefix: str) -> Named:
    """Names a new operation. Every try of one request gives the same name."""
    return Named(
        loop_id=own_id(prefix),
        tenant_id=tenant(),
        by=asked().by.key_id,
        began_ms=clock.now_ms(),
    )


def begun_before(kind: str, name: Named) -> Loop | None:
    """Returns the operation that an earlier try of this request has begun."""
    return bulk_operations.read(kind, name.tenant_id, name.loop_id) if tried_before() else None


def begin(loop: Loop) -> None:
    if not bulk_operations.begin(loop):
        raise Problem("unavailable", "It could not be started just now: try again in a moment.")


def find(kind: str, loop_id: str) -> Loop:
    """Reads an operation of this tenant."""
    found = bulk_operations.read(kind, tenant(), loop_id)
    if found is None:
        raise not_found(f"{_word(kind)} of that id")
    return found


def stop(kind: str, loop_id: str) -> Loop:
    """Stops an operation that is running."""
    seen = find(kind, loop_id)
    if seen.running:
        seen = bulk_operations.stop(kind, tenant(), loop_id) or seen
    refuse_ended(seen)
    return seen


def refuse_ended(seen: Loop) -> None:
    """Refuses to stop what has ended. Stopping one twice is allowed."""
    if seen.status not in ("running", "cancelled"):
        raise Problem("already_finished", "It has ended already: there is nothing to stop.")


def index(
    kind: str,
    show: Callable[[Loop], Mapping[str, Any]],
    page: tuple[int, str | None],
    task_id: str | None = None,
) -> Response[str]:
    """Lists operations, newest first."""
    partition = bulk_operation.partition(kind, tenant())
    pages = Listing(known={"task_id": partition}, names=("scheduled_for",), kinds=("loop_id",))
    limit, cursor = page

    def read(size: int, start: Any) -> Walked[Item]:  # noqa: ANN401  # a key of the store
        found = table_pages.runs(partition, ("0", "~"), limit=size, start=start)
        return Walked(found.items, found.last)

    def shown(items: Sequence[Item]) -> list[Item | None]:
        found = [bulk_operation.parse(item) for item in items]
        return [
            show(loop) if task_id in (None, loop.wanted.get("task_id")) else None for loop in found
        ]

    chunk = CHUNK if task_id else limit
    return pages.answer(*fill(read, shown, limit=limit, start=pages.start(cursor), chunk=chunk))


def _word(kind: str) -> str:
    return "backfill" if kind == "backfill" else "operation"
