"""A payload as stored: JSON text, so that it comes back as it was sent, or where it lies.

The store's own maps bound the depth and the numbers, and take far longer to read.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

# Every load of a run pays for the whole item, four kilobytes a unit.
INLINE_MAX_BYTES = 32 * 1024
# No JSON text begins so.
_ELSEWHERE = "@"


@dataclass(frozen=True, slots=True)
class Away:
    """A payload that lies in the bucket, under this key."""

    key: str


def written(payload: Any) -> str:  # noqa: ANN401 any JSON
    """Write it."""
    if isinstance(payload, Away):
        return _ELSEWHERE + payload.key
    return json.dumps(payload, ensure_ascii=False, separators=(",", ":"))


def read(stored: Any) -> Any:  # noqa: ANN401 any JSON
    """Read it; what a former version stored as a map is read as it is."""
    if not isinstance(stored, str):
        return stored
    if stored.startswith(_ELSEWHERE):
        return Away(stored.removeprefix(_ELSEWHERE))
    return json.loads(stored)


def large(text: str) -> bool:
    """Tell whether a payload is to lie in the bucket."""
    return len(text.encode()) > INLINE_MAX_BYTES


def away(owner: str, text: str) -> Away:
    """Name it after its content: what is there never changes, and putting it twice is once."""
    return Away(f"{owner}/{sha256(text.encode()).hexdigest()[:32]}")
