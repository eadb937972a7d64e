"""Walking all runs while new ones are written: in order, none twice, none missing.

`ROWS=20000 pytest -s tests/api/runs/test_walk.py` walks as many, and prints the figures.
"""

from __future__ import annotations

import os
import time
from collections import Counter
from itertools import count
from typing import Any

import pytest

from tests.api import hour_lists, ran
from tests.api.kit import Api

ROWS = int(os.environ.get("ROWS", "800"))
# The clock moves: by the last walk a part of the hour lies more than an hour back.
_WRITTEN = ROWS * 9 // 8
# A first page: six or seven minutes of four lists each that are not sorted yet, the audit's last
# word, a few reads of the hour, the rows, what they may wait for. The last page: what is sorted.
_FIRST_PAGE_CALLS, _PAGE_CALLS = 45, 16
Row = dict[str, Any]


@pytest.mark.deep
def test_a_walk_meets_every_run_once_in_order_while_new_ones_are_written(api: Api) -> None:
    due = hour_lists.hour(api, _WRITTEN)
    api.warm()
    for limit in (200, 50, 20):
        found, calls = _walked(api, limit)

        ids, order = [run["run_id"] for run in found], [run["due_at"] for run in found]
        assert len(set(ids)) == len(ids) >= ROWS
        assert {run_id for run_id in due if due[run_id] >= _oldest(api)} <= set(ids)
        assert order == sorted(order, reverse=True)
        assert max(calls) <= _FIRST_PAGE_CALLS
        assert calls[-1] <= _PAGE_CALLS


def _oldest(api: Api) -> int:
    return api.now_ms - 3_600_000


def _walked(api: Api, limit: int) -> tuple[list[Row], list[int]]:
    """Walks, and triggers a run and lets time pass every few pages; counts each page's calls."""
    found, calls, writing = list[Row](), list[int](), 0.0
    begun, cursor = time.monotonic(), ""
    every = max(1, ROWS // limit // 6)
    for number in count():
        page = api.call(f"GET /v1/runs?limit={limit}{cursor}")
        assert page.status == 200, page.text
        calls.append(api.trips())
        found += page.body["data"]
        if page.body["next_cursor"] is None:
            break
        assert len(page.body["data"]) == limit
        cursor = f"&cursor={page.body['next_cursor']}"
        if number % every == 0:
            paused = time.monotonic()
            ran.triggered(api, "s0")
            hour_lists.passed(api, seconds=15)
            writing += time.monotonic() - paused
    taken = time.monotonic() - begun - writing
    print(
        f"{len(found)} rows by {limit}: {len(calls)} pages in {taken:.1f} s; calls to the store: "
        f"{calls[0]} for the first page, {Counter(calls).most_common(1)[0][0]} for most, "
        f"{max(calls)} at most"
    )
    return found, calls
