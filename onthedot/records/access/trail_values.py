"""Shortens what a line of the trail keeps of a change. It is readable and limited in bytes."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from hashlib import sha256
from typing import Any

# Bytes of one text, and of one side of a change. The store holds 400 kB, an answer 6 MB.
TEXT_BYTES_MAX, SIDE_BYTES_MAX = 1_000, 8_192
_SHOWN_LETTERS = 100
# A payload may be large or private. The trail only says that it changed.
_UNTOLD = frozenset({"payload"})


def told(fields: Mapping[str, Any], changed: Iterable[str]) -> dict[str, Any]:
    """Returns the changed fields: the beginnings of long texts, and the sizes of large fields."""
    kept: dict[str, Any] = {}
    room = SIDE_BYTES_MAX
    for name in changed:
        if fields.get(name) is None:
            continue
        value = "(changed)" if name in _UNTOLD else _shortened(fields[name])
        if _size(value) > room:
            value = _mark(_json(fields[name]))
        kept[name] = value
        room -= _size(value)
    return kept


def _shortened(value: Any) -> Any:  # noqa: ANN401 any JSON
    if isinstance(value, Mapping):
        return {name: _shortened(one) for name, one in value.items()}
    if isinstance(value, list | tuple):
        return [_shortened(one) for one in value]
    if isinstance(value, str) and len(value.encode()) > TEXT_BYTES_MAX:
        return f"{value[:_SHOWN_LETTERS]}… {_mark(value)}"
    return value


def _mark(text: str) -> str:
    """Returns the size, and a digest that tells it from another text of this size."""
    written = text.encode()
    return f"({len(written):,} bytes, SHA-256 {sha256(written).hexdigest()[:12]})"


def _size(value: Any) -> int:  # noqa: ANN401 any JSON
    return len(_json(value).encode())


def _json(value: Any) -> str:  # noqa: ANN401 any JSON
    return json.dumps(value, ensure_ascii=False, default=str)
