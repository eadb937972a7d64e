"""Counts a tenant's requests in one minute. Environments take them from the store in blocks."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path
from pynamodb.expressions.update import Action

from onthedot.records.access.api_key import tenant_key
from onthedot.store.access import access_table

# The former release counted down, in another item.
_SORT = "used"
_TRIES = 16


def requests_per_minute(tenant_id: str) -> int | None:
    """Reads the tenant's own limit, if it has one."""
    found = access_table.read(tenant_key(tenant_id), consistent=False) or {}
    limit: int | None = found.get("requests_per_min")
    return limit


@dataclass(frozen=True, slots=True)
class Taken:
    """A block, what is left of the minute, and how many environments share the minute."""

    size: int
    left: int
    sharing: int


def take(tenant_id: str, *, minute: int, most: int, block: int, first: bool) -> Taken:
    """Takes a block of a minute, or what is left of it. `first` counts a new environment.

    If another environment's clock has begun the next minute, the block is of that minute.
    """
    size = block
    for _ in range(_TRIES):
        size = min(size, most)
        taken, there = _go_on(tenant_id, minute, size, most, first=first)
        if taken is not None:
            return taken
        if there is None or there["minute"] < minute:
            taken = _open(tenant_id, minute, size, most)
            if taken is not None:
                return taken
        else:
            minute = there["minute"]
            size = min(size, most - there["used"])
        if size < 1:
            break
    return Taken(0, 0, 1)


def _go_on(
    tenant_id: str, minute: int, size: int, most: int, *, first: bool
) -> tuple[Taken | None, dict[str, int] | None]:
    """Returns the block, or the item that is in the way."""
    used, sharing = Path("used"), Path("sharing")
    actions = [used.set(used + size), sharing.set(sharing + int(first))]
    room = (Path("minute") == minute) & (used <= most - size)
    return _take(tenant_id, actions, room, size=size, most=most)


def _open(tenant_id: str, minute: int, size: int, most: int) -> Taken | None:
    """Begins a minute that no environment has begun yet."""
    last = Path("minute")
    actions = [last.set(minute), Path("used").set(size), Path("sharing").set(1)]
    unbegun = last.does_not_exist() | (last < minute)
    return _take(tenant_id, actions, unbegun, size=size, most=most)[0]


def _take(
    tenant_id: str, actions: Sequence[Action], condition: Condition, *, size: int, most: int
) -> tuple[Taken | None, dict[str, int] | None]:
    key = {**tenant_key(tenant_id), "sk": _SORT}
    written = access_table.update(key, actions, condition, shown=True)
    now = written.item
    if not written.done:
        return None, now or None
    return Taken(size, most - now["used"], now["sharing"]), None
