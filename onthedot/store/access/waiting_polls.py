"""Counts the polls of a tenant that wait for work, over all environments, up to a limit.

Each has its place until its latest end, so a poll that died with its environment leaves too.
"""

from __future__ import annotations

from typing import Any

from onthedot.records.access.api_key import TABLE, tenant_key
from onthedot.store import conditional_writer, table_reads

_TRIES = 4


def join(tenant_id: str, poll: str, *, until_ms: int, now_ms: int, most: int) -> bool:
    """Takes a place if one is free. False: none is, or too many try at once."""
    for _ in range(_TRIES):
        there = _take(tenant_id, poll, until_ms, most)
        if there is None:
            return True
        known = there.get("until", {})
        waiting = {name: until for name, until in known.items() if until > now_ms}
        if len(waiting) >= most:
            return False
        if len(waiting) < len(known) or not there:
            _tidy(tenant_id, there.get("rev"), waiting)
    return False


def leave(tenant_id: str, poll: str) -> None:
    """Gives the place back."""
    _write(
        tenant_id, "REMOVE #u.#p SET #r = #r + :one", "attribute_exists(#u)", {":one": 1}, poll=poll
    )


def _take(tenant_id: str, poll: str, until_ms: int, most: int) -> dict[str, Any] | None:
    """Returns the item that is in the way, or None if the place was taken."""
    values = {":until": until_ms, ":most": most, ":one": 1}
    update = "SET #u.#p = :until, #r = #r + :one"
    return _write(tenant_id, update, "attribute_exists(#u) AND size(#u) < :most", values, poll=poll)


def _tidy(tenant_id: str, rev: int | None, waiting: dict[str, int]) -> None:
    """Removes the polls that are over. If another does it first, it is done for all."""
    values: dict[str, Any] = {":u": waiting, ":next": (rev or 0) + 1}
    condition = "attribute_not_exists(#r)"
    if rev is not None:
        condition, values[":rev"] = "#r = :rev", rev
    _write(tenant_id, "SET #u = :u, #r = :next", condition, values)


def _write(
    tenant_id: str, update: str, condition: str, values: dict[str, Any], *, poll: str = ""
) -> dict[str, Any] | None:
    names = {"#u": "until", "#r": "rev"} | ({"#p": poll} if poll else {})
    key = {**tenant_key(tenant_id), "sk": "polls"}
    done = conditional_writer.update_item(
        TABLE, key, update, names=names, values=values, condition=condition
    )
    return None if done else table_reads.get(TABLE, key) or {}
