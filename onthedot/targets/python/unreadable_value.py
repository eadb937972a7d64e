"""A value that is no JSON, as a text: short, and the same for every value that is alike."""

from __future__ import annotations

import re
from contextlib import suppress
from reprlib import Repr

# Where in memory something stood tells nobody anything.
_ADDRESS = re.compile(r" at 0x[0-9a-fA-F]+")


def kind(value: object) -> str:
    """Name a value's type."""
    of = type(value)
    return of.__qualname__ if of.__module__ == "builtins" else f"{of.__module__}.{of.__qualname__}"


def about(fault: BaseException) -> str:
    """Say what the writer of JSON did not like."""
    if isinstance(fault, RecursionError):
        return "it is nested too deep"
    words = "it cannot be written"
    with suppress(Exception):
        words = _ADDRESS.sub("", str(fault)) or words
    return words.encode("utf-8", "replace").decode()


def shown(value: object, most: int) -> str:
    """Describe it in so many letters; a large one is not written out to be cut."""
    brief = Repr()
    brief.maxstring = brief.maxother = brief.maxlong = most
    brief.maxdict = brief.maxlist = brief.maxtuple = brief.maxset = most // 8
    words = f"<{kind(value)}>"
    with suppress(Exception):
        words = _ADDRESS.sub("", brief.repr(value))
    return words.encode("utf-8", "replace").decode()[:most]
