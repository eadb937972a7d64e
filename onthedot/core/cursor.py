"""Where a list goes on: an opaque text, bound to the tenant, the route and the filters.

It carries no authority: the partition that is read comes from the credential alone.
"""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256

from onthedot.core.problems import Problem

_CHECK_LENGTH = 16
_LENGTH_MAX = 2_000


def written(position: Sequence[str], bound: Mapping[str, object]) -> str:
    """Write the position after which the next page begins."""
    text = json.dumps(list(position))
    return urlsafe_b64encode((_check(text, bound) + text).encode()).decode().rstrip("=")


def read(cursor: str, bound: Mapping[str, object]) -> list[str]:
    """Read it back; one that was made for another request, or up, is refused."""
    try:
        padded = cursor[:_LENGTH_MAX].encode() + b"=" * (-len(cursor) % 4)
        found = urlsafe_b64decode(padded).decode()
    except ValueError:
        raise mismatch() from None
    check, text = found[:_CHECK_LENGTH], found[_CHECK_LENGTH:]
    if check != _check(text, bound):
        raise mismatch()
    position: list[str] = json.loads(text)
    return position


def _check(text: str, bound: Mapping[str, object]) -> str:
    filters = json.dumps(bound, sort_keys=True, default=str)
    return sha256(f"{filters}|{text}".encode()).hexdigest()[:_CHECK_LENGTH]


def mismatch() -> Problem:
    """Refuse a cursor that does not fit."""
    message = "The cursor was made for another list or other filters: start without one."
    return Problem("cursor_mismatch", message)
