"""Replaces templates such as `{{run_id}}` in a text. Nothing is evaluated.

The size of what one call's templates produce is limited: a short text can repeat a long value.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii
from typing import Any

BYTES_MAX = 1_000_000
# Four braces stand for two literal braces and are matched first.
_PLACE = re.compile(r"\{\{\{\{|\{\{\s*([a-z_]+(?:\.[A-Za-z0-9_-]+)*)\s*\}\}")
_BRACES = "{{"
Spelling = Callable[[str], str]


class Unfit(ValueError):  # noqa: N818 it says what the text is
    """The run can never send what the template produces."""

    kind = "TemplateUnfit"


class TooLarge(Unfit):
    """The templates of the call produce more than a call may carry."""

    kind = "TemplateTooLarge"

    def __init__(self) -> None:
        super().__init__(
            f"the templates of this run give more than {BYTES_MAX:,} bytes: "
            "expected shorter values, or fewer places that name them"
        )


@dataclass(slots=True)
class Room:
    """The bytes that the templates of a call may still produce."""

    left: int = BYTES_MAX

    def take(self, size: int) -> None:
        """Uses some bytes, before the text is put together, so that no text grows too large."""
        self.left -= size
        if self.left < 0:
            raise TooLarge


def rendered(value: Any, fields: Mapping[str, Any], room: Room) -> Any:
    """Replaces the named fields in every string of a JSON value. Keys do not change."""
    if isinstance(value, str):
        return _made(value, fields, room, spelled=str, size=_in_json)
    if isinstance(value, Mapping):
        return {name: rendered(inner, fields, room) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [rendered(inner, fields, room) for inner in value]
    return value


def text(template: str, fields: Mapping[str, Any], room: Room, spelled: Spelling = str) -> str:
    """Replaces the named fields in one string. An unknown name stays.

    `spelled` writes each value in the form that its place needs.
    """
    return _made(template, fields, room, spelled=spelled, size=_in_utf8)


def _made(
    template: str,
    fields: Mapping[str, Any],
    room: Room,
    *,
    spelled: Spelling,
    size: Callable[[str], int],
) -> str:
    if _BRACES not in template:
        return template
    parts = []
    for part in _parts(template, fields, spelled):
        room.take(size(part))
        parts.append(part)
    return "".join(parts)


def _parts(template: str, fields: Mapping[str, Any], spelled: Spelling) -> Iterator[str]:
    """Yields the text in parts. No part is longer than one value."""
    at = 0
    for match in _PLACE.finditer(template):
        yield template[at : match.start()]
        at = match.end()
        if match[1] is None:
            yield spelled(_BRACES)
            continue
        found, value = _looked_up(match[1], fields)
        yield spelled(_shown(value)) if found else match[0]
    yield template[at:]


def _looked_up(path: str, fields: Mapping[str, Any]) -> tuple[bool, Any]:
    """Follows `payload.customer` field by field. There is no other syntax."""
    value: Any = fields
    for name in path.split("."):
        if not isinstance(value, Mapping) or name not in value:
            return False, None
        value = value[name]
    return True, value


def _shown(value: Any) -> str:
    if value is None:
        return ""
    return value if isinstance(value, str) else json.dumps(value, separators=(",", ":"))


def _in_utf8(part: str) -> int:
    return len(part.encode("utf-8", "replace"))


def _in_json(part: str) -> int:
    """Counts the bytes of a string in JSON. Most letters beyond ASCII take six."""
    return len(encode_basestring_ascii(part)) - 2
