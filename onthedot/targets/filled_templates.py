"""Fills templates into a url and headers. No value can leave its place."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any
from urllib.parse import quote, unquote

from onthedot.targets.templates import Room, Unfit, text

_OPEN = "{{"
# First scheme, host and port, then path, query and fragment.
_HALVES = re.compile(r"([a-z]+://[^/?#]*)(.*)", re.DOTALL)
_UPWARDS = (".", "..")
_SLASHES = re.compile(r"[/\\]")


def place_has_template(url: str) -> bool:
    """Tells whether a template stands in the scheme, host or port."""
    halves = _HALVES.fullmatch(url)
    return _OPEN in (halves[1] if halves else url)


def url(template: str, fields: Mapping[str, Any], room: Room) -> str:
    """Fills in path and query, percent-encoded: a slash or a `&` in a value separates nothing."""
    halves = _HALVES.fullmatch(template)
    if _OPEN not in template or halves is None:
        return template
    filled = text(halves[2], fields, room, _escaped)
    wanted, made = (half.partition("?")[0].split("/") for half in (halves[2], filled))
    if any(_leads_up(new) and not _leads_up(old) for old, new in zip(wanted, made, strict=False)):
        raise Unfit("a value would stand in the url's path as '.' or '..', and lead elsewhere")
    return halves[1] + filled


def _leads_up(part: str) -> bool:
    """Tells whether a part is `..`. Some servers decode first: `%2e.` is `..`, `..%2Fb` has one."""
    return any(word in _UPWARDS for word in _SLASHES.split(unquote(part)))


def header(name: str, template: str, fields: Mapping[str, Any], room: Room) -> str:
    """Fills in a header's value. It must be one line of ASCII; else it is refused and not shown."""
    filled = text(template, fields, room).strip(" ")
    if not filled.isascii() or not (filled.isprintable() or not filled):
        raise Unfit(
            f"the header '{name}' would hold a line break or another character that no header "
            "can hold: expected printable ASCII in one line"
        )
    return filled


def _escaped(value: str) -> str:
    return quote(value, safe="", errors="replace")
