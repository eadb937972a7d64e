"""What a handler may leave on its run's row: JSON, and little of it."""

from __future__ import annotations

import json
import re
from typing import Any

SMALL_MAX = 4_096
# Python reads and writes about a thousand levels, fewer the deeper its own calls are nested: what
# one thread has read another might not write.
_LEVELS_MAX = 100
_SIGN = re.compile(r'"(?:[^"\\]|\\.)*"?|[\[\]{}]', re.DOTALL)


def checked(value: Any, what: str) -> Any:  # noqa: ANN401 whatever a handler gives
    """Give it back if the row has room for it; else say why not."""
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
    """Tell whether a JSON text is nested deeper than is safe to read."""
    if text.count("[") + text.count("{") <= _LEVELS_MAX:
        return False
    level = 0
    for sign in _SIGN.finditer(text):
        level += (sign[0] in "[{") - (sign[0] in "]}")
        if level > _LEVELS_MAX:
            return True
    return False


def said(text: str) -> Any:  # noqa: ANN401 any JSON
    """Read what a target answers: JSON if it is some that can be read, else as it stands."""
    if deep(text):
        return text
    try:
        return json.loads(text)
    except ValueError:
        return text


def written(value: Any) -> str:  # noqa: ANN401 any JSON
    """Write it as text: the store's own numbers end where a handler's may not."""
    return json.dumps(value, separators=(",", ":"))


def read(stored: Any) -> Any:  # noqa: ANN401 any JSON
    """Read it."""
    return json.loads(stored) if isinstance(stored, str) else stored
