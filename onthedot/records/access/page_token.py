"""Seals where a list continues: a text for one tenant, one address and the same filters.

It carries no authority: the credential alone decides which partition is read.
"""

from __future__ import annotations

import hmac
import json
from base64 import b64decode, urlsafe_b64encode
from collections.abc import Mapping, Sequence
from hashlib import sha256

from onthedot.records.problems import Problem

PURPOSE = b"cursors"
_SEAL_LENGTH = 16
_LENGTH_MAX = 2_000


def written(position: Sequence[str], bound: Mapping[str, object], secret: bytes) -> str:
    """Writes the position after which the next page begins."""
    told = json.dumps(list(position), ensure_ascii=False).encode()
    return urlsafe_b64encode(_seal(told, bound, secret) + told).decode().rstrip("=")


def read(cursor: str, bound: Mapping[str, object], secret: bytes) -> object:
    """Reads it back. A cursor of another request, or a forged one, is refused."""
    if len(cursor) > _LENGTH_MAX:
        raise mismatch()
    try:
        padded = cursor.encode() + b"=" * (-len(cursor) % 4)
        found = b64decode(padded, altchars=b"-_", validate=True)
    except ValueError:
        raise mismatch() from None
    seal, told = found[:_SEAL_LENGTH], found[_SEAL_LENGTH:]
    if not hmac.compare_digest(seal, _seal(told, bound, secret)):
        raise mismatch()
    try:
        return json.loads(told)
    except (RecursionError, ValueError):
        raise mismatch() from None


def mismatch() -> Problem:
    """Says that a list cannot continue there."""
    message = "The cursor was made for another list or other filters: start without one."
    return Problem("cursor_mismatch", message)


def _seal(told: bytes, bound: Mapping[str, object], secret: bytes) -> bytes:
    filters = json.dumps(bound, sort_keys=True).encode()
    return hmac.digest(secret, filters + b"|" + told, sha256)[:_SEAL_LENGTH]
