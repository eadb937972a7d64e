"""Makes ids that sort by the time they were made: 26 letters, the first ten are the time."""

from __future__ import annotations

LETTERS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_TIME_LETTERS = 10
CHANCE_LETTERS = 16


def ulid(now_ms: int, chance: str) -> str:
    """Writes a ULID. `chance` is its sixteen random letters."""
    time = "".join(LETTERS[now_ms >> 5 * place & 31] for place in reversed(range(_TIME_LETTERS)))
    return time + chance
