"""Runs handlers beside the loop that extends their leases. The simulation replaces it."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextvars import copy_context
from functools import cache
from typing import Any

_THREADS = 256
# Seconds that a handler may take to notice that its lease was lost.
PATIENCE_SEC = 5.0
_under_way: set[Future[Any]] = set()


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_THREADS, thread_name_prefix="run")


def submit(work: Callable[[], Any]) -> Future[Any]:
    """Begins work in a thread, which has the same corrected clock."""
    part = _pool().submit(copy_context().run, work)
    _under_way.add(part)
    part.add_done_callback(_under_way.discard)
    return part


def wait(parts: Sequence[Future[Any]], seconds: float) -> None:
    """Waits until one of them ends, or for this time."""
    wait_for(parts, timeout=max(0.0, seconds), return_when=FIRST_COMPLETED)


def end_process() -> None:
    """Ends all that runs in this process. The messages of the batch come back."""
    os._exit(1)


def leave_no_strays(patience_sec: float = PATIENCE_SEC) -> None:
    """Ends the process if a handler was left and does not return: a thread cannot be killed.

    Called when all else is settled and acknowledged. Nothing would be served beside a stray.
    """
    _, strays = wait_for(list(_under_way), timeout=patience_sec)
    if strays:
        end_process()
