"""Limits long polls: each holds an environment of the API, so a tenant has only some at once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from onthedot.store import clock, ids
from onthedot.store.access import waiting_polls
from onthedot.store.conditional_writer import Forgiven

# Polls of one tenant. The setting `long_polls` can change it.
_MOST = 50
# Seconds. A worker that cannot wait here waits this long by itself.
AGAIN_SEC = 2
_MARGIN_MS = 10_000


@contextmanager
def place(tenant_id: str, wait_sec: int) -> Iterator[bool]:
    """Holds a place among the waiting polls, if one is left."""
    now_ms, poll = clock.now_ms(), ids.token()
    most = int(os.environ.get("LONG_POLLS", _MOST))
    until_ms = now_ms + wait_sec * 1000 + _MARGIN_MS
    joined = waiting_polls.join(tenant_id, poll, until_ms=until_ms, now_ms=now_ms, most=most)
    try:
        yield joined
    finally:
        if joined:
            # The place ends by itself. What was fetched meanwhile must not be lost for it.
            with Forgiven():
                waiting_polls.leave(tenant_id, poll)
