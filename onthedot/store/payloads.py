"""Large payloads: put into the bucket before the item that names them, fetched when wanted."""

from __future__ import annotations

import json
from typing import Any

from onthedot.records.tasks import payloads
from onthedot.records.tasks.payloads import Away
from onthedot.store import blobs


def stored(place: str, payload: Any) -> str:
    """Give what the item is to say, once its readers will find what it names."""
    text = payloads.written(payload)
    if not payloads.large(text):
        return text
    elsewhere = payloads.away(place, text)
    blobs.put(elsewhere.key, text)
    return payloads.written(elsewhere)


def at_hand(payload: Any) -> Any:
    """Give the payload itself; one whose object is gone is None."""
    if not isinstance(payload, Away):
        return payload
    text = blobs.get(payload.key)
    return None if text is None else json.loads(text)
