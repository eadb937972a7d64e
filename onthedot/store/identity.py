"""New ids: a prefix that says of what, the time, chance."""

from __future__ import annotations

from onthedot.records.ulid import CHANCE_LETTERS, ulid
from onthedot.store import clock, ids


def new_id(prefix: str) -> str:
    """Make one: sch, tsk, key, bkf or req."""
    return f"{prefix}_{ulid(clock.now_ms(), ids.token(CHANCE_LETTERS))}"
