"""DynamoDB's typed values: comparing, ordering and weighing them. Knows no tables."""

from __future__ import annotations

import re
from decimal import Decimal
from functools import lru_cache
from typing import Any

Value = dict[str, Any]
Item = dict[str, Value]
Number = int | Decimal

KINDS = frozenset({"S", "N", "B", "M", "L", "BOOL", "NULL", "SS", "NS", "BS"})
_NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?\Z")


class NotANumber(ValueError):  # noqa: N818  # says what is wrong
    """The text of an N value does not spell a number."""


@lru_cache(maxsize=65536)
def number(text: str) -> Number:
    if not isinstance(text, str) or not _NUMBER.match(text):
        raise NotANumber(text)
    try:
        return int(text)
    except ValueError:
        return Decimal(text)


def spell(amount: Number) -> str:
    """As DynamoDB writes a number: no trailing zeros, no exponent."""
    if isinstance(amount, int):
        return str(amount)
    text = f"{amount:f}"
    return text.rstrip("0").rstrip(".") if "." in text else text


def equal(one: Value, other: Value) -> bool:
    return one == other or _equal_in_other_words(one, other)


def _equal_in_other_words(one: Value, other: Value) -> bool:
    ((kind, content),) = one.items()
    if kind not in other:
        return False
    counterpart = other[kind]
    if kind == "N":
        return number(content) == number(counterpart)
    if kind == "NS":
        return {number(text) for text in content} == {number(text) for text in counterpart}
    if kind in {"SS", "BS"}:
        return set(content) == set(counterpart)
    if kind == "L":
        return len(content) == len(counterpart) and all(map(equal, content, counterpart))
    if kind == "M":
        return content.keys() == counterpart.keys() and all(
            equal(content[name], counterpart[name]) for name in content
        )
    return False


def ordered(value: Value) -> tuple[str, Any] | None:
    """Returns the kind and what Python orders it by; None for kinds that have no order."""
    if "N" in value:
        return "N", number(value["N"])
    if "S" in value:
        return "S", value["S"]
    if "B" in value:
        return "B", value["B"]
    return None


def kind_of(value: Value) -> str:
    return next(iter(value))


def normal(value: Value) -> Value:
    """As DynamoDB stores it. Raises NotANumber, or ValueError with AWS's words."""
    ((kind, content),) = value.items()
    if kind == "S" and type(content) is str:
        return value
    if kind == "N":
        plainest = _plainest(content)
        return value if content == plainest else {"N": plainest}
    if kind == "L":
        return {"L": [normal(element) for element in content]}
    if kind == "M":
        return {"M": {name: normal(element) for name, element in content.items()}}
    if kind in {"SS", "NS", "BS"}:
        if not content:
            word = {"SS": "string", "NS": "number", "BS": "binary"}[kind]
            raise ValueError(f"An {word} set  may not be empty")
        return value
    if kind not in KINDS:
        raise ValueError(f"Supplied AttributeValue has an unknown type: {kind}")
    _check_python_type(kind, content)
    return value


@lru_cache(maxsize=65536)
def _plainest(text: str) -> str:
    return spell(number(text))


def _check_python_type(kind: str, content: object) -> None:
    """Refuses what botocore would refuse to send, were its parameter validation on."""
    wanted = {"S": str, "B": (bytes, bytearray), "BOOL": bool, "NULL": bool}[kind]
    if not isinstance(content, wanted):  # type: ignore[arg-type]  # a tuple of types is one
        raise TypeError(f"{kind} value of type {type(content).__name__}: {content!r}")


def item_bytes(item: Item) -> int:
    return sum(len(name.encode()) + value_bytes(value) for name, value in item.items())


def value_bytes(value: Value) -> int:
    ((kind, content),) = value.items()
    if kind in {"S", "B"}:
        return _text_bytes(content)
    if kind == "N":
        return _number_bytes(content)
    if kind in {"BOOL", "NULL"}:
        return 1
    if kind in {"SS", "BS"}:
        return sum(map(_text_bytes, content))
    if kind == "NS":
        return sum(map(_number_bytes, content))
    if kind == "L":
        return 3 + sum(1 + value_bytes(element) for element in content)
    return 3 + item_bytes(content) + len(content)


def _text_bytes(text: str | bytes) -> int:
    if isinstance(text, bytes) or text.isascii():
        return len(text)
    return len(text.encode())


@lru_cache(maxsize=65536)
def _number_bytes(text: str) -> int:
    """Returns a byte for two digits on each side of the point, one more, one for a minus.

    AWS says only "approximately"; this is what Dynoxide counts.
    """
    amount = number(text)
    whole, _, fraction = spell(amount).lstrip("-").partition(".")
    digits = whole.lstrip("0") if fraction else whole.strip("0")
    places = fraction if digits else fraction.lstrip("0")
    return (len(digits) + 1) // 2 + (len(places) + 1) // 2 + 1 + (amount < 0)
