"""Handlers beside the loop that extends their leases; the simulation puts its own in place."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from functools import cache
from typing import Any

_THREADS = 256


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_THREADS, thread_name_prefix="run")


def submit(work: Callable[[], Any]) -> Future[Any]:
    """Begin work."""
    return _pool().submit(work)


def wait(parts: Sequence[Future[Any]], seconds: float) -> None:
    """Wait until one of them ends, or so long."""
    wait_for(parts, timeout=max(0.0, seconds), return_when=FIRST_COMPLETED)
