"""Matches users' own patterns with RE2: a hostile pattern takes no longer than any other."""

from __future__ import annotations

from functools import cache
from importlib import import_module
from typing import Any

# Bytes of a worker's memory for one pattern. RE2 refuses patterns that need more.
_MEMORY_MAX = 1 << 17


def found(pattern: str, text: str) -> bool:
    """Tells whether a text has a match, in time that grows with the text only."""
    return _compiled(pattern).search(text) is not None


def mistake(pattern: str) -> str | None:
    """Says what is wrong with a pattern, if anything."""
    try:
        _compiled(pattern)
    except _re2().error as wrong:
        (said,) = wrong.args
        return said.decode() if isinstance(said, bytes) else str(said)
    return None


def _compiled(pattern: str) -> Any:
    """Compiles a pattern. RE2 keeps the latest ones itself."""
    options = _re2().Options()
    options.max_mem = _MEMORY_MAX
    options.log_errors = False
    return _re2().compile(pattern, options)


@cache
def _re2() -> Any:
    """Imports RE2 with the first pattern: most workers never see one."""
    return import_module("re2")
