"""Remembers requests that may be repeated. The first to write one answers it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from pynamodb.expressions.operand import Path
from pynamodb.expressions.update import Action

from onthedot.records.access.idempotency import Once
from onthedot.store.access import access_table

_LOCK = "locked_until_ms"


def begin(once: Once, now_ms: int) -> dict[str, Any] | None:
    """Takes a request on, or returns what is stored of the same request."""
    # DynamoDB deletes an expired item only some time later.
    forgotten = Path("expires_at") <= now_ms // 1000
    written = access_table.put(once.item(now_ms), access_table.NEW | forgotten, shown=True)
    return None if written.done else written.item


def take_over(once: Once, before: dict[str, Any]) -> bool:
    """Continues an abandoned request. False: another try was first."""
    seen = before[_LOCK]
    return _while(once, [Path(_LOCK).set(once.locked_until_ms)], seen=seen)


def finish(once: Once, answer: bytes) -> None:
    """Keeps the answer, unless another try has taken the request on meanwhile."""
    done = [Path("state").set("done"), Path("answer").set(answer)]
    _while(once, done, seen=once.locked_until_ms)


def abandon(once: Once, now_ms: int) -> None:
    """Lets another try continue the request at once."""
    _while(once, [Path(_LOCK).set(now_ms)], seen=once.locked_until_ms)


def _while(once: Once, actions: Sequence[Action], *, seen: int) -> bool:
    """Writes if the lock is still the one that was seen. False: it is not."""
    return access_table.update(once.key(), actions, Path(_LOCK) == seen).done
