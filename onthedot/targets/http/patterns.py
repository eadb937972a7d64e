"""Users' own patterns, matched by RE2: a hostile one takes no longer than any other."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

# What one pattern may take of a worker's memory; RE2 refuses those that need more.
_MEMORY_MAX = 1 << 17


def found(pattern: str, text: str) -> bool:
    """Tell whether a text has a match, in time that grows with the text alone."""
    return _compiled(pattern).search(text) is not None


def mistake(pattern: str) -> str | None:
    """Say what is wrong with a pattern, if anything."""
    try:
        _compiled(pattern)
    except _re2().error as wrong:
        (said,) = wrong.args
        return said.decode() if isinstance(said, bytes) else str(said)
    return None


def _compiled(pattern: str) -> Any:
    """RE2 keeps the latest ones by itself."""
    options = _re2().Options()
    options.max_mem = _MEMORY_MAX
    options.log_errors = False
    return _re2().compile(pattern, options)


@cache
def _re2() -> Any:
    """Loaded when the first pattern comes: most workers never see one."""
    return import_module("re2")
