"""Converts plain values to DynamoDB's typed attributes and back, and free values to small JSON."""

from __future__ import annotations

import json
import re
from base64 import b64decode
from collections.abc import Callable, Mapping
from typing import Any

Attribute = dict[str, Any]


def typed(value: Any) -> Attribute:
    """Writes a value: text, number, boolean, bytes, list, map or null."""
    if isinstance(value, str):
        return {"S": value}
    if isinstance(value, bool):
        return {"BOOL": value}
    if isinstance(value, (int, float)):
        return {"N": str(value)}
    if isinstance(value, bytes):
        return {"B": value}
    if isinstance(value, Mapping):
        return {"M": {name: typed(inner) for name, inner in value.items()}}
    if isinstance(value, (list, tuple)):
        return {"L": [typed(inner) for inner in value]}
    if value is None:
        return {"NULL": True}
    raise TypeError(f"{type(value).__name__} cannot be stored")


def typed_item(item: Mapping[str, Any]) -> dict[str, Attribute]:
    return {name: typed(value) for name, value in item.items()}


def plain(attribute: Attribute) -> Any:
    ((kind, value),) = attribute.items()
    return _READERS[kind](value)


def plain_item(item: Mapping[str, Attribute]) -> dict[str, Any]:
    made: dict[str, Any] = {}
    for name, attribute in item.items():
        ((kind, value),) = attribute.items()
        made[name] = value if kind == "S" else _READERS[kind](value)
    return made


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)


def _bytes(value: bytes | str) -> bytes:
    # The fast parser leaves binary values as base64.
    return b64decode(value) if isinstance(value, str) else value


_READERS: dict[str, Callable[[Any], Any]] = {
    "S": lambda value: value,
    "N": _number,
    "BOOL": lambda value: value,
    "B": _bytes,
    "NULL": lambda _: None,
    "M": plain_item,
    "L": lambda values: [plain(value) for value in values],
    "SS": set,
}


SMALL_MAX = 4_096
# Levels. Python reads and writes about a thousand, and fewer if its own calls are nested deeper:
# one thread might not be able to write what another has read.
_LEVELS_MAX = 100
_SIGN = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)


def checked(value: Any, what: str) -> Any:
    """Returns the value if the row has room for it, else says why not."""
    try:
        text = json.dumps(value, allow_nan=False)
    except (RecursionError, TypeError, ValueError) as fault:
        raise ValueError(f"{what} is not JSON: {fault}") from None
    if len(text) > SMALL_MAX:
        raise ValueError(f"{what} has {len(text)} characters of JSON: {SMALL_MAX} at most")
    if deep(text):
        raise ValueError(f"{what} is nested more than {_LEVELS_MAX} levels deep")
    return value


def deep(text: str) -> bool:
    """Tells whether a JSON text is nested too deep to be read safely."""
    if text.count("[") + text.count("{") <= _LEVELS_MAX:
        return False
    level = 0
    for sign in _SIGN.finditer(text):
        level += (sign[0] in "[{") - (sign[0] in "]}")
        if level > _LEVELS_MAX:
            return True
    return False


def said(text: str) -> Any:
    """Reads a target's answer as JSON. If that fails, it stays a text."""
    if deep(text):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def written(value: Any) -> str:
    """Writes it as text: a handler's numbers may be larger than the store's."""
    return json.dumps(value, separators=(",", ":"))


def read(stored: Any) -> Any:
    return json.loads(stored) if isinstance(stored, str) else stored
