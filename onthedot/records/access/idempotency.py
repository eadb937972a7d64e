"""A request that may come twice: what is remembered of it, and for how long."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

REMEMBERED_SEC = 86_400
# Longer than a request may take: after this it is over, one way or the other.
LOCKED_MS = 30_000
LENGTH_MAX = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Once:
    """One request under its caller's key; who locked it last may finish it."""

    digest: str
    body_hash: str
    locked_until_ms: int

    def key(self) -> dict[str, str]:
        """Give the key of its item."""
        return {"pk": f"idem#{self.digest}", "sk": "-"}

    def item(self, now_ms: int) -> dict[str, Any]:
        """Write that it is under way."""
        return self.key() | {
            "state": "in_progress",
            "body_hash": self.body_hash,
            "locked_until_ms": self.locked_until_ms,
            "begun_ms": now_ms,
            "expires_at": now_ms // 1000 + REMEMBERED_SEC,
        }


def once(scope: tuple[str, ...], body: str, now_ms: int) -> Once:
    """Tell a request by its tenant, its key, its method, its path and its Idempotency-Key."""
    return Once(
        digest=_digest(json.dumps(scope)),
        body_hash=_digest(body),
        locked_until_ms=now_ms + LOCKED_MS,
    )


def abandoned(before: Mapping[str, Any], mine: Once, now_ms: int) -> bool:
    """Tell whether the same request was begun, and no process has said how it ended."""
    same = before.get("body_hash") == mine.body_hash
    return same and before["state"] == "in_progress" and before["locked_until_ms"] <= now_ms


def packed(answer: Mapping[str, Any]) -> bytes:
    """Write an answer small enough to be kept whatever it holds."""
    return zlib.compress(json.dumps(answer).encode())


def unpacked(answer: bytes) -> dict[str, Any]:
    """Read it back."""
    found: dict[str, Any] = json.loads(zlib.decompress(answer))
    return found


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
