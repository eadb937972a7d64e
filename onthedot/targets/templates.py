"""Templates: `{{run_id}}` and its like in a text are replaced; nothing is evaluated.

What the templates of one call give is bounded: a short text may name a long value many times.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from json.encoder import encode_basestring_ascii
from typing import Any

BYTES_MAX = 1_000_000
# Four braces stand for two literal ones and are matched first.
_PLACE = re.compile(r"\{\{\{\{|\{\{\s*([a-z_]+(?:\.[A-Za-z0-9_-]+)*)\s*\}\}")
_BRACES = "{{"
Spelling = Callable[[str], str]


class Unfit(ValueError):  # noqa: N818 it says what the text is
    """What a template gives cannot be sent, by this run at any attempt."""

    kind = "TemplateUnfit"


class TooLarge(Unfit):
    """The templates of the call give more than any call may carry."""

    kind = "TemplateTooLarge"

    def __init__(self) -> None:
        super().__init__(
            f"the templates of this run give more than {BYTES_MAX:,} bytes: "
            "expected shorter values, or fewer places that name them"
        )


@dataclass(slots=True)
class Room:
    """How many bytes the templates of a call may still give."""

    left: int = BYTES_MAX

    def take(self, size: int) -> None:
        """Use some of it; before the text is put together, so that none grows beyond it."""
        self.left -= size
        if self.left < 0:
            raise TooLarge


def rendered(value: Any, fields: Mapping[str, Any], room: Room) -> Any:
    """Replace the named fields in every string of a JSON value; keys stay as they are."""
    if isinstance(value, str):
        return _made(value, fields, room, spelled=str, size=_in_json)
    if isinstance(value, Mapping):
        return {name: rendered(inner, fields, room) for name, inner in value.items()}
    if isinstance(value, (list, tuple)):
        return [rendered(inner, fields, room) for inner in value]
    return value


def text(template: str, fields: Mapping[str, Any], room: Room, spelled: Spelling = str) -> str:
    """Replace the named fields in one string; a name that is not known stays as it stands.

    `spelled` writes what is put in, as the place where it stands wants it.
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
    """Give the text piece by piece: each is as long as one value at most."""
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
    """Follow `payload.customer` field by field; there is no other way in."""
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
    """Count what a string takes in JSON, where most letters beyond ASCII take six bytes."""
    return len(encode_basestring_ascii(part)) - 2
