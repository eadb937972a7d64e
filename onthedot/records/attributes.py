"""Converts plain values to DynamoDB's typed attributes, and back."""

from __future__ import annotations

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
