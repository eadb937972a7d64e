"""What a handler may leave on its run's row: JSON, and little of it."""

from __future__ import annotations

import json
from typing import Any

SMALL_MAX = 4_096


def checked(value: Any, what: str) -> Any:  # noqa: ANN401 whatever a handler gives
    """Give it back if the row has room for it; else say why not."""
    try:
        text = json.dumps(value, allow_nan=False)
    except (RecursionError, TypeError, ValueError) as fault:
        raise ValueError(f"{what} is no JSON: {fault}") from None
    if len(text) > SMALL_MAX:
        raise ValueError(f"{what} has {len(text)} characters of JSON: {SMALL_MAX} at most")
    return value


def written(value: Any) -> str:  # noqa: ANN401 any JSON
    """Write it as text: the store's own numbers end where a handler's may not."""
    return json.dumps(value, separators=(",", ":"))


def read(stored: Any) -> Any:  # noqa: ANN401 any JSON
    """Read it."""
    return json.loads(stored) if isinstance(stored, str) else stored
