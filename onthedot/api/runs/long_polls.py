"""Long polls: each holds an environment of the API, so a tenant has only so many at once."""

from __future__ import annotations

import os
from collections.abc import Iterator
from contextlib import contextmanager

from onthedot.store import clock, ids
from onthedot.store.access import waiting_polls
from onthedot.store.patience import Forgiven

# For each tenant; the setting `long_polls` says otherwise.
_MOST = 50
# A worker that could not wait here waits as long by itself.
AGAIN_SEC = 2
_MARGIN_MS = 10_000


@contextmanager
def place(tenant_id: str, wait_sec: int) -> Iterator[bool]:
    """Hold a place among those that wait, if there is one left."""
    now_ms, poll = clock.now_ms(), ids.token()
    most = int(os.environ.get("LONG_POLLS", _MOST))
    until_ms = now_ms + wait_sec * 1000 + _MARGIN_MS
    joined = waiting_polls.join(tenant_id, poll, until_ms=until_ms, now_ms=now_ms, most=most)
    try:
        yield joined
    finally:
        if joined:
            # It ends by itself: what was fetched meanwhile must not be lost over it.
            with Forgiven():
                waiting_polls.leave(tenant_id, poll)
