"""The secret of this installation, which seals plans and cursors: read once an environment."""

from __future__ import annotations

import hmac
from functools import cache
from hashlib import sha256

from onthedot.store import ids
from onthedot.store.access import key_items


@cache
def secret() -> bytes:
    """Give it, and make it if there is none yet."""
    return key_items.secret(ids.secret())


@cache
def derived(purpose: bytes) -> bytes:
    """Give a secret of its own for one purpose: what it seals is good for no other."""
    return hmac.digest(secret(), purpose, sha256)


def forget() -> None:
    """Read it again."""
    secret.cache_clear()
    derived.cache_clear()
