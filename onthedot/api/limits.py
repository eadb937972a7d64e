"""How many requests a tenant may make in a minute, and how it is told of it: in one place."""

from __future__ import annotations

from dataclasses import dataclass

from onthedot.adapters import clock
from onthedot.adapters import quota as stored
from onthedot.api.asking import Asked
from onthedot.core.problems import Problem

MINUTE_MS = 60_000
PER_MINUTE = 6_000
# Taken from the store at once: so many requests cost one write.
_SHARE = 20
_BLOCK_MIN = 10


@dataclass(slots=True)
class _Purse:
    """What this environment has taken of a tenant's minute, and what the store had left then."""

    minute: int
    per_minute: int
    tokens: int = 0
    left: int = 0


_purses: dict[str, _Purse] = {}


def spend(asked: Asked) -> None:
    """Count the request, say what is left, refuse what is too much."""
    tenant_id, now_ms = asked.by.tenant_id, clock.now_ms()
    minute = now_ms // MINUTE_MS
    purse = _purses.get(tenant_id)
    if purse is None or purse.minute != minute:
        limit = stored.requests_per_minute(tenant_id)
        purse = _purses[tenant_id] = _Purse(minute, PER_MINUTE if limit is None else limit)
    if not purse.tokens:
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


def forget() -> None:
    """Take everything anew."""
    _purses.clear()


def _fill(purse: _Purse, tenant_id: str) -> None:
    block = max(_BLOCK_MIN, purse.per_minute // _SHARE)
    purse.tokens, purse.left = stored.take(
        tenant_id, minute=purse.minute, most=purse.per_minute, block=block
    )
