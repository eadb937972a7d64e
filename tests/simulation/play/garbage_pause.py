"""While a history is played, no search for cycles: it costs a third."""

from __future__ import annotations

import gc
from collections.abc import Iterator
from contextlib import contextmanager


@contextmanager
def uncollected() -> Iterator[None]:
    """Looks for cycles once, among what was made meanwhile, while that is still in the caches.

    What is still in use then is never collected: keep no history in a variable.
    """
    gc.freeze()
    gc.disable()
    try:
        yield
    finally:
        gc.collect()
        gc.unfreeze()
        gc.enable()


def never() -> None:
    """Turns the garbage collector off, in a process that ends before it runs out of memory."""
    gc.freeze()
    gc.disable()
