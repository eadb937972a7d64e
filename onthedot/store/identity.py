"""Makes new ids: a prefix for the kind, the time, and random letters."""

from __future__ import annotations

from onthedot.records.ulid import CHANCE_LETTERS, ulid
from onthedot.store import clock, ids


def new_id(prefix: str) -> str:
    """Makes an id with a prefix: sch, tsk, key, bkf or req."""
    return f"{prefix}_{ulid(clock.now_ms(), ids.token(CHANCE_LETTERS))}"
