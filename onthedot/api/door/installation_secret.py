"""Keeps the secret of this installation, which seals plans and cursors. It is read once."""

from __future__ import annotations

import hmac
from functools import cache
from hashlib import sha256

from onthedot.store import ids
from onthedot.store.access import access_table


@cache
def secret() -> bytes:
    """Returns the secret. If there is none yet, it makes one."""
    return access_table.secret(ids.secret())


@cache
def derived(purpose: bytes) -> bytes:
    """Returns a secret for one purpose only. It opens nothing else."""
    return hmac.digest(secret(), purpose, sha256)
