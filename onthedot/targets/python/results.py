"""What a handler returns, as its run's row keeps it: JSON if it is some, and little of it."""

from __future__ import annotations

import json
import re
from typing import Any

from onthedot.records import small_json
from onthedot.targets.python import unreadable_value

_RESULT_MAX, _NOTE_MAX = 4_096, 300
# What is left of an escape that was cut: an odd backslash, and what of \\uXXXX stands behind it.
_HALF = re.compile(r"(?<!\\)(?:\\\\)*(\\(?:u[0-9a-f]{0,3})?)\Z")


def kept(result: Any) -> Any:
    """Keep what is JSON and small; of the rest, as much of its text as a row has room for."""
    try:
        text = json.dumps(result, allow_nan=False)
    except Exception as fault:  # noqa: BLE001 a value may refuse in any way, and its run succeeded
        note = f"{unreadable_value.kind(result)} is no JSON: {unreadable_value.about(fault)}"
        text = unreadable_value.shown(result, _RESULT_MAX)
        return _cut(text, unreadable=True, note=note[:_NOTE_MAX])
    if len(text) <= _RESULT_MAX and not small_json.deep(text):
        return json.loads(text)
    return _cut(text, truncated=True)


def _cut(text: str, **marks: Any) -> dict[str, Any]:
    """Keep as much of a text as is small together with the notes on it."""
    room = _RESULT_MAX - len(json.dumps({**marks, "text": ""}))
    # A quote or a backslash is written as two characters, which belong together; so do the six of
    # a letter beyond ASCII.
    written = json.dumps(text)[1:-1][:room]
    halved = _HALF.search(written)
    return {**marks, "text": json.loads(f'"{written[: halved.start(1)] if halved else written}"')}
