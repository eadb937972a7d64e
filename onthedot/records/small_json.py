"""Limits what a handler may leave on its run's row: JSON, and little of it."""

from __future__ import annotations

import json
import re
from typing import Any

SMALL_MAX = 4_096
# Levels. Python reads and writes about a thousand, and fewer if its own calls are nested deeper:
# one thread might not be able to write what another has read.
_LEVELS_MAX = 100
_SIGN = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)


def checked(value: Any, what: str) -> Any:  # noqa: ANN401 whatever a handler gives
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


def said(text: str) -> Any:  # noqa: ANN401 any JSON
    """Reads a target's answer as JSON. If that fails, it stays a text."""
    if deep(text):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def written(value: Any) -> str:  # noqa: ANN401 any JSON
    """Writes it as text: a handler's numbers may be larger than the store's."""
    return json.dumps(value, separators=(",", ":"))


def read(stored: Any) -> Any:  # noqa: ANN401 any JSON
    return json.loads(stored) if isinstance(stored, str) else stored
