"""Writes a value that is no JSON as a short text: the same text for similar values."""

from __future__ import annotations

import re
from contextlib import suppress
from reprlib import Repr

# An address in memory tells readers nothing.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def kind(value: object) -> str:
    """Names a value's type."""
    of = type(value)
    return of.__qualname__ if of.__module__ == "builtins" else f"{of.__module__}.{of.__qualname__}"


def about(fault: BaseException) -> str:
    """Says why the value could not be written as JSON."""
    if isinstance(fault, RecursionError):
        return "it is nested too deep"
    words = "it cannot be written"
    with suppress(Exception):
        words = _ADDRESS.sub("", str(fault)) or words
    return words.encode("utf-8", "replace").decode()


def shown(value: object, most: int) -> str:
    """Describes a value in up to `most` characters, without writing out a large one first."""
    brief = Repr()
    brief.maxstring = brief.maxother = brief.maxlong = most
    brief.maxdict = brief.maxlist = brief.maxtuple = brief.maxset = most // 8
    words = f"<{kind(value)}>"
    with suppress(Exception):
        words = _ADDRESS.sub("", brief.repr(value))
    return words.encode("utf-8", "replace").decode()[:most]
