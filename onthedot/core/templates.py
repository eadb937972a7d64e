"""Templates: `{{run_id}}` and its like in string values are replaced; nothing is evaluated."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from typing import Any

# Four braces stand for two literal ones and are matched first.
_PLACE = re.compile(r"\{\{\{\{|\{\{\s*([a-z_]+(?:\.[A-Za-z0-9_-]+)*)\s*\}\}")


def rendered(value: Any, fields: Mapping[str, Any]) -> Any:  # noqa: ANN401 any JSON
    """Replace the named fields in every string of a JSON value; keys stay as they are."""
    if isinstance(value, str):
        return text(value, fields)
    if isinstance(value, Mapping):
        return {name: rendered(inner, fields) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [rendered(inner, fields) for inner in value]
    return value


def text(template: str, fields: Mapping[str, Any]) -> str:
    """Replace the named fields in one string; a name that is not known stays as it stands."""
    if "{{" not in template:
        return template

    def replaced(match: re.Match[str]) -> str:
        if match[1] is None:
            return "{{"
        found, value = _looked_up(match[1], fields)
        return _shown(value) if found else match[0]

    return _PLACE.sub(replaced, template)


def _looked_up(path: str, fields: Mapping[str, Any]) -> tuple[bool, Any]:
    """Follow `payload.customer` field by field; there is no other way in."""
    value: Any = fields
    for name in path.split("."):
        if not isinstance(value, Mapping) or name not in value:
            return False, None
        value = value[name]
    return True, value


def _shown(value: Any) -> str:  # noqa: ANN401 any JSON
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))
