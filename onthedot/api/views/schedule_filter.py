"""Filters a list of schedules: each filter that was given must match."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any


def holds(entry: Mapping[str, Any], filters: Mapping[str, str]) -> bool:
    """Tells whether an entry of a list passes all filters."""
    return all(_TESTS[name](entry, value) for name, value in filters.items())


def _tag(entry: Mapping[str, Any], wanted: str) -> bool:
    """Tells whether a tag fits: `team` by its name, `team:billing` by its value too."""
    tags: Mapping[str, str] = entry["tags"]
    name, colon, value = wanted.partition(":")
    return name in tags and (not colon or tags[name] == value)


def _text(entry: Mapping[str, Any], wanted: str) -> bool:
    return wanted.casefold() in (entry["name"] or "").casefold()


Test = Callable[[Mapping[str, Any], str], bool]
_TESTS: Mapping[str, Test] = {
    "status": lambda entry, wanted: entry["status"] == wanted,
    "tag": _tag,
    "target": lambda entry, wanted: entry["target"]["type"] == wanted,
    "handler": lambda entry, wanted: entry["target"].get("handler") == wanted,
    "q": _text,
    "managed_by": lambda entry, wanted: entry["managed_by"] == wanted,
}
