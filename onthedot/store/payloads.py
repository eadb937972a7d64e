"""Stores large payloads in the bucket before the item that names them, and reads them back."""

from __future__ import annotations

import json
from typing import Any

from onthedot.records.tasks import payloads
from onthedot.records.tasks.payloads import Away
from onthedot.store import blobs


def stored(place: str, payload: Any) -> str:
    """Stores a payload if it is large, and returns what the item must say."""
    text = payloads.written(payload)
    if not payloads.large(text):
        return text
    elsewhere = payloads.away(place, text)
    blobs.put(elsewhere.key, text)
    return payloads.written(elsewhere)


def at_hand(payload: Any) -> Any:
    """Returns the payload itself, or None if its object is gone."""
    if not isinstance(payload, Away):
        return payload
    text = blobs.get(payload.key)
    return None if text is None else json.loads(text)
