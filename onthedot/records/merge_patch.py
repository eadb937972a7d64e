"""Applies a merge patch (RFC 7396): named fields change, null removes one, the rest stays."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def merged(target: Mapping[str, Any], patch: Mapping[str, Any]) -> dict[str, Any]:
    """Returns the target with the patch applied."""
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
