"""Seals a plan that was shown. The same request carries it out, if nothing has changed since."""

from __future__ import annotations

import hmac
import json
from base64 import urlsafe_b64encode
from collections.abc import Mapping
from hashlib import sha256

from onthedot.records.problems import Problem
from onthedot.schedule.time.instants import nominal

PLAN_MS = 600_000
_TIME_MAX = 11
# In seconds the year 5138, in milliseconds 1973: a smaller number is the former release's.
_SECONDS_MAX = 100_000_000_000
_LETTERS = "0123456789abcdef"


def token(secret: bytes, world: Mapping[str, object], expires: int) -> str:
    """Signs what was asked for and what was stored then. `expires` is in milliseconds."""
    told = json.dumps({**world, "expires": expires}, sort_keys=True, default=str)
    seal = urlsafe_b64encode(hmac.digest(secret, told.encode(), sha256)[:24]).decode()
    return f"{expires:x}.{seal}"


def check(given: str, secret: bytes, world: Mapping[str, object], now_ms: int) -> None:
    """Refuses a token that is too old, or of another request, or made before something changed."""
    expires = int(given.partition(".")[0] or "0", 16) if _is_token(given) else 0
    if not hmac.compare_digest(given.encode(), token(secret, world, expires).encode()):
        message = "The plan was made for another request, or things have changed: plan again."
        raise Problem("plan_stale", message)
    expires_ms = _in_ms(expires)
    if now_ms >= expires_ms:
        until = nominal(expires_ms // 1000)
        raise Problem("plan_stale", f"The plan was good until {until}: plan again.")


def planned_ms(given: str) -> int | None:
    """Returns when the plan was made, by its token."""
    if not _is_token(given):
        return None
    return max(0, _in_ms(int(given.partition(".")[0], 16)) - PLAN_MS)


def _in_ms(expires: int) -> int:
    return expires * 1000 if expires < _SECONDS_MAX else expires


def _is_token(given: str) -> bool:
    head = given.partition(".")[0]
    return 0 < len(head) <= _TIME_MAX and all(letter in _LETTERS for letter in head)
