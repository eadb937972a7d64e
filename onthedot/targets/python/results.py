"""Keeps what a handler returns on the run's row: small JSON, or a short text."""

from __future__ import annotations

import json
import re
from typing import Any

from onthedot.records import attributes
from onthedot.targets.python import unreadable_value

_RESULT_MAX, _NOTE_MAX = 4_096, 300
# An escape that was cut: an odd backslash, and the part of \\uXXXX after it.
_HALF = re.compile(r"(?<!\\)(?:\\\\)*(\\(?:u[0-9a-f]{0,3})?)\Z")


def kept(result: Any) -> Any:
    """Keeps a value if it is small JSON. Else it keeps as much text as a row has room for."""
    try:
        text = json.dumps(result, allow_nan=False)
    except Exception as fault:  # noqa: BLE001 a value may refuse in any way, and its run succeeded
        note = f"{unreadable_value.kind(result)} is no JSON: {unreadable_value.about(fault)}"
        text = unreadable_value.shown(result, _RESULT_MAX)
        return _cut(text, unreadable=True, note=note[:_NOTE_MAX])
    if len(text) <= _RESULT_MAX and not attributes.deep(text):
        return json.loads(text)
    return _cut(text, truncated=True)


def _cut(text: str, **marks: Any) -> dict[str, Any]:
    """Keeps as much of a text as fits together with the notes on it."""
    room = _RESULT_MAX - len(json.dumps({**marks, "text": ""}))
    # A quote or a backslash takes two characters that must stay together; a letter beyond ASCII
    # takes six.
    written = json.dumps(text)[1:-1][:room]
    halved = _HALF.search(written)
    return {**marks, "text": json.loads(f'"{written[: halved.start(1)] if halved else written}"')}
