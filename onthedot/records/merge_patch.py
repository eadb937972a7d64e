"""A merge patch (RFC 7396): what is named is changed, null takes it away, the rest stays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def merged(target: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """Give the target as the patch wants it."""
    found = dict(target)
    for name, value in patch.items():
        if value is None:
            found.pop(name, None)
        elif isinstance(value, Mapping):
            below = found.get(name)
            found[name] = merged(below if isinstance(below, Mapping) else {}, value)
        else:
            found[name] = value
    return found
