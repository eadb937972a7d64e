"""Several calls at once; how many is a setting, for a local database answers one at a time."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from functools import cache
from typing import TypeVar

_Given = TypeVar("_Given")
_Got = TypeVar("_Got")


def each(work: Callable[[_Given], _Got], items: Iterable[_Given]) -> Iterator[_Got]:
    """Do the work for each item, in order."""
    if _width() == 1:
        return map(work, items)
    return _pool().map(work, items)


@cache
def _width() -> int:
    return int(os.environ["PARALLEL_CALLS"])


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_width())
