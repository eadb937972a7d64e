"""Decides about the admin keys of a tenant: which are valid, and when the last one expires."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from onthedot.records.access.api_key import Key
from onthedot.records.conditional_writes import Clause, Insert, Update
from onthedot.records.problems import Problem
from onthedot.schedule.time.instants import nominal

TABLE = "access"
_PLACE = {"pk": "admins", "sk": "-"}
_TURN = "turn"


def opening(keys: Iterable[Key], now_ms: int) -> list[Key]:
    """Returns the admin keys that are valid now."""
    return [key for key in keys if key.role == "admin" and key.opens(now_ms)]


def warnings(key: Key, keys: Sequence[Key], now_ms: int) -> list[str]:
    """Warns if all admin keys expire, and this one last."""
    known = opening(keys, now_ms)
    last = max(known, key=lambda one: one.expires_ms, default=None)
    if last is None or key.key_id != last.key_id or not all(one.expires_ms for one in known):
        return []
    until = nominal(last.expires_ms // 1000)
    told = f"After {until} no admin key of '{key.tenant_id}' is valid: make one without expires_at."
    return [f"{told} If it is too late, run make deploy: it makes one."]


def last_one(key: Key) -> Problem:
    """Says that without this key nobody could make another."""
    message = (
        f"{key.key_id} is the last admin key of '{key.tenant_id}': make another one first, then"
        " revoke this one with it."
    )
    return Problem("last_admin_key", message)


def turn_key() -> dict[str, str]:
    """Returns the key of the item that serializes revocations."""
    return dict(_PLACE)


def next_turn(seen: int | None) -> Insert | Update:
    """Takes the turn. If two saw the same admin keys, one is refused and must look again."""
    if seen is None:
        return Insert(TABLE, {**_PLACE, _TURN: 1}, ("pk", "sk"))
    clause = Clause.equal(_TURN, seen)
    return Update(TABLE, tuple(_PLACE.items()), ((_TURN, seen + 1),), (clause,))
