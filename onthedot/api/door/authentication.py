"""Finds out who asks, by the key of the request, and how often each tenant may."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TypeVar

from onthedot.api.door.request import Asked
from onthedot.records.access import api_key
from onthedot.records.access.api_key import Caller, Key
from onthedot.records.problems import Problem
from onthedot.store import clock
from onthedot.store.access import access_table, request_quota

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


MINUTE_MS = 60_000
PER_MINUTE = 6_000
# Milliseconds after which a new limit is used.
_KNOWN_MS = 10_000
# All environments together hold at most this part of what is left.
_HELD = 10


@dataclass(slots=True)
class Purse:
    """What this environment has taken of a tenant's minute, and what the store had left then."""

    minute: int
    per_minute: int
    read_ms: int
    tokens: int = 0
    left: int = 0
    block: int = 0
    empty: bool = False


purses: dict[str, Purse] = {}


def spend(asked: Asked) -> None:
    """Counts the request, says what is left, and refuses what is too much."""
    tenant_id, now_ms = asked.by.tenant_id, clock.now_ms()
    purse = _purse(tenant_id, now_ms)
    if not purse.tokens and not purse.empty:
        _fill(purse, tenant_id)
    reset_sec = (MINUTE_MS - now_ms % MINUTE_MS + 999) // 1000
    asked.answer_headers["RateLimit-Policy"] = f'"tenant";q={purse.per_minute};w=60'
    if not purse.tokens:
        asked.answer_headers["RateLimit"] = f'"tenant";r=0;t={reset_sec}'
        message = f"More than {purse.per_minute} requests in this minute: wait {reset_sec} s."
        raise Problem("rate_limited", message, headers={"Retry-After": str(reset_sec)})
    purse.tokens -= 1
    remaining = purse.left + purse.tokens
    asked.answer_headers["RateLimit"] = f'"tenant";r={remaining};t={reset_sec}'


def _purse(tenant_id: str, now_ms: int) -> Purse:
    """Returns what is known of this minute. The limit is read again every few seconds of use."""
    minute = now_ms // MINUTE_MS
    purse = purses.get(tenant_id)
    if purse and purse.minute == minute and 0 <= now_ms - purse.read_ms < _KNOWN_MS:
        return purse
    limit = request_quota.requests_per_minute(tenant_id)
    per_minute = PER_MINUTE if limit is None else limit
    if purse is None or purse.minute != minute or purse.per_minute != per_minute:
        purse = purses[tenant_id] = Purse(minute, per_minute, now_ms)
    purse.read_ms = now_ms
    return purse


def _fill(purse: Purse, tenant_id: str) -> None:
    """Takes twice what was taken before: an environment with few requests holds few."""
    taken = request_quota.take(
        tenant_id,
        minute=purse.minute,
        most=purse.per_minute,
        block=max(1, purse.block),
        first=not purse.block,
    )
    purse.tokens, purse.left = taken.size, taken.left
    purse.empty = not taken.size
    purse.block = max(1, min(2 * taken.size, taken.left // (_HELD * taken.sharing)))
