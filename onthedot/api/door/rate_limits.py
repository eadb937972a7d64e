"""Limits how many requests a tenant may make in a minute, and writes the headers about it."""

from __future__ import annotations

from dataclasses import dataclass

from onthedot.api.door.request import Asked
from onthedot.records.problems import Problem
from onthedot.store import clock
from onthedot.store.access import request_quota

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


def forget_rates() -> None:
    """Forgets everything that is known."""
    purses.clear()


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
