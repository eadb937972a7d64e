"""What stays of a run that is purged: that it died, when, and after which attempts."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from onthedot.core.attributes import plain_item

# What a purge takes from the row and from the record of each attempt.
_GONE = frozenset({"error", "result", "progress", "checkpoint"})


def kept(life: Mapping[str, Any]) -> dict[str, Any]:
    """Gives a stored life without what a purge takes."""
    known = plain_item(life)
    attempts = [_without(one) for one in known.get("attempts", [])]
    return _without(known) | ({"attempts": attempts} if attempts else {})


def _without(known: Mapping[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in known.items() if name not in _GONE}
