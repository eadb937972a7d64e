"""Describes the caller's own key for a task. As long as it is kept, only one task can have it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from hashlib import sha256
from typing import Any

from onthedot.records.access.api_key import TABLE
from onthedot.records.conditional_writes import Clause, Insert, Update


@dataclass(frozen=True, slots=True, kw_only=True)
class BusinessKey:
    """A key as it comes with a task, and a digest of the rest of the request."""

    tenant_id: str
    key: str
    ttl_sec: int
    body_hash: str

    def item_key(self) -> dict[str, str]:
        """Returns the key of its item."""
        return {"pk": f"bkey#{self.tenant_id}#{digest(self.key)}", "sk": "-"}

    def taking(self, task_id: str, now: int, former: Mapping[str, Any] | None) -> Insert | Update:
        """Takes the key. An expired one may still be stored there."""
        values = {
            "task_id": task_id,
            "body_hash": self.body_hash,
            "expires_at": now + self.ttl_sec,
        }
        if former is None:
            return Insert(TABLE, self.item_key() | values, ("pk", "sk"))
        seen = Clause.equal("task_id", former["task_id"])
        return Update(TABLE, tuple(self.item_key().items()), tuple(values.items()), (seen,))


def digest(text: str) -> str:
    """Returns a digest of a text."""
    return sha256(text.encode()).hexdigest()
