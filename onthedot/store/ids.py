"""Random ids and numbers; the simulation puts seeded ones in place."""

from __future__ import annotations

import secrets

_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def token(length: int = 8) -> str:
    """Give a random name in Crockford's letters."""
    return "".join(secrets.choice(_LETTERS) for _ in range(length))


def fraction() -> float:
    """Give a random number from 0 to 1, for jitter."""
    return secrets.randbelow(1 << 30) / (1 << 30)


def secret() -> bytes:
    """Give bytes that nobody guesses."""
    return secrets.token_bytes(32)
