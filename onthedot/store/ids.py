"""Makes random ids and numbers. The simulation replaces them by seeded ones."""

from __future__ import annotations

import secrets

from onthedot.records.keys import CHANCE_LETTERS, ulid
from onthedot.store import clock

_LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"


def token(length: int = 8) -> str:
    """Returns a random name in Crockford's alphabet."""
    return "".join(secrets.choice(_LETTERS) for _ in range(length))


def fraction() -> float:
    """Returns a random number from 0 to 1, for jitter."""
    return secrets.randbelow(1 << 30) / (1 << 30)


def secret() -> bytes:
    """Returns bytes that nobody can guess."""
    return secrets.token_bytes(32)


def new_id(prefix: str) -> str:
    """Makes an id with a prefix: sch, tsk, key, bkf or req."""
    return f"{prefix}_{ulid(clock.now_ms(), token(CHANCE_LETTERS))}"
