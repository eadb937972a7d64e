"""Describes what is stored of a request that may be repeated, and for how long."""

from __future__ import annotations

import json
import zlib
from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

REMEMBERED_SEC = 86_400
# Milliseconds. Longer than a request may take: afterwards it has succeeded or failed.
LOCKED_MS = 30_000
LENGTH_MAX = 255


@dataclass(frozen=True, slots=True, kw_only=True)
class Once:
    """One request under its caller's key. The last to lock it may finish it."""

    digest: str
    body_hash: str
    locked_until_ms: int

    def key(self) -> dict[str, str]:
        """Returns the key of its item."""
        return {"pk": f"idem#{self.digest}", "sk": "-"}

    def item(self, now_ms: int) -> dict[str, Any]:
        """Writes that the request is in progress."""
        return self.key() | {
            "state": "in_progress",
            "body_hash": self.body_hash,
            "locked_until_ms": self.locked_until_ms,
            "begun_ms": now_ms,
            "expires_at": now_ms // 1000 + REMEMBERED_SEC,
        }


def once(scope: tuple[str, ...], body: str, now_ms: int) -> Once:
    """Identifies a request by its tenant, key, method, path and Idempotency-Key."""
    return Once(
        digest=_digest(json.dumps(scope)),
        body_hash=_digest(body),
        locked_until_ms=now_ms + LOCKED_MS,
    )


def abandoned(before: Mapping[str, Any], mine: Once, now_ms: int) -> bool:
    """Tells whether the same request was begun, and no process has stored its end."""
    same = before.get("body_hash") == mine.body_hash
    return same and before["state"] == "in_progress" and before["locked_until_ms"] <= now_ms


def packed(answer: Mapping[str, Any]) -> bytes:
    """Packs an answer, so that any answer is small enough to be kept."""
    return zlib.compress(json.dumps(answer).encode())


def unpacked(answer: bytes) -> dict[str, Any]:
    """Reads what `packed` wrote."""
    found: dict[str, Any] = json.loads(zlib.decompress(answer))
    return found


def _digest(text: str) -> str:
    return sha256(text.encode()).hexdigest()
