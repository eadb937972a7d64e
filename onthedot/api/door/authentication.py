"""Finds out who asks: it compares the request's API key with what is stored of it."""

from __future__ import annotations

from dataclasses import replace
from typing import TypeVar

from onthedot.api.door.request import Asked
from onthedot.records.access import api_key
from onthedot.records.access.api_key import Caller, Key
from onthedot.records.problems import Problem
from onthedot.store import clock
from onthedot.store.access import access_table

# Milliseconds after which a revoked key is no longer accepted.
REMEMBERED_MS = 50_000
USED_MS = 3_600_000
_REMEMBERED_MAX = 1_000
_known: dict[str, tuple[int, Key]] = {}
# Ids that strangers made up have a cache of their own, so that they remove no key.
_unknown: dict[str, tuple[int, None]] = {}
_Read = TypeVar("_Read")
_HOW = {"WWW-Authenticate": "Bearer"}


def authenticate(asked: Asked) -> Caller:
    """Returns the caller, or says why there is none."""
    scheme, _, text = asked.headers.get("authorization", "").partition(" ")
    if scheme.lower() != "bearer" or not text:
        raise Problem(
            "unauthenticated",
            "The request has no API key: expected the header Authorization: Bearer otd_….",
            headers=_HOW,
        )
    parts = api_key.read(text.strip())
    if parts is None:
        raise _refused("It is mistyped or cut off")
    key_id, secret = parts
    key = _remembered(key_id)
    if key is None or not key.holds(secret, clock.now_ms()):
        raise _refused("It does not exist, has expired or was revoked")
    _note_use(key)
    return Caller(key_id=key.key_id, tenant_id=key.tenant_id, role=key.role, queues=key.queues)


def forget_keys() -> None:
    """Makes the next call read every key again."""
    _known.clear()
    _unknown.clear()


def _note_use(key: Key) -> None:
    """Records the use of a key. Once an hour is enough to find unused keys."""
    now_ms = clock.now_ms()
    if now_ms - key.last_used_ms >= USED_MS:
        access_table.note_use(key.key_id, now_ms)
        read_ms, _ = _known[key.key_id]
        _known[key.key_id] = read_ms, replace(key, last_used_ms=now_ms)


def _refused(why: str) -> Problem:
    return Problem("unauthenticated", f"The API key is not valid. {why}.", headers=_HOW)


def _remembered(key_id: str) -> Key | None:
    """Returns a key from memory or from the store. A missing key is remembered just as long."""
    now_ms = clock.now_ms()
    read_ms, key = _known.get(key_id) or _unknown.get(key_id, (0, None))
    if now_ms - read_ms < REMEMBERED_MS:
        return key
    key = access_table.key(key_id)
    if key is None:
        _known.pop(key_id, None)
        _keep(_unknown, key_id, (now_ms, None))
    else:
        _unknown.pop(key_id, None)
        _keep(_known, key_id, (now_ms, key))
    return key


def _keep(kept: dict[str, _Read], key_id: str, read: _Read) -> None:
    """Keeps the latest keys. The one that was read first is removed."""
    kept.pop(key_id, None)
    kept[key_id] = read
    if len(kept) > _REMEMBERED_MAX:
        del kept[next(iter(kept))]
