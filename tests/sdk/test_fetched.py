"""A run in an outside worker's hands: what its machine's clock says is nobody's business."""

from __future__ import annotations

import time
from datetime import UTC, datetime

import pytest

from onthedot.client.client import Client
from onthedot.worker.leased_run import Fetched, fetched

TIMEOUT_SEC = 300


def taken(ahead_sec: float) -> Fetched:
    """Returns a run that was leased just now from an API whose clock is so far ahead."""
    now = time.time() + ahead_sec
    run = {
        "run_id": "sch_A.20261118T120000Z",
        "task_id": "sch_A",
        "origin": "schedule",
        "max_attempts": 3,
        "due_at": _instant(now),
        "started_at": _instant(now),
    }
    lease = {
        "run": run,
        "attempt": 1,
        "lease_until": _instant(now + 60),
        "deadline": _instant(now + TIMEOUT_SEC),
    }
    client = Client("http://127.0.0.1:1", "a-key")
    return fetched(client, lease, 60, asked_at=time.time())  # type: ignore[arg-type] # as JSON has it


def _instant(second: float) -> str:
    return datetime.fromtimestamp(second, UTC).isoformat(timespec="milliseconds")


@pytest.mark.parametrize("ahead_sec", [0, -86_400, 7_200, 0.25])
def test_a_handler_has_the_attempts_whole_time_whatever_the_machines_clock(
    ahead_sec: float,
) -> None:
    run = taken(ahead_sec)
    context = run.context()

    assert TIMEOUT_SEC - 5 < context.remaining() <= TIMEOUT_SEC + 1
    assert not context.cancelled
    assert not run.has_hung()
    assert not run.lease_lost()


@pytest.mark.parametrize("ahead_sec", [0, -86_400, 7_200])
def test_a_handler_that_goes_on_is_given_up_after_its_time(ahead_sec: float) -> None:
    run = taken(ahead_sec)
    run.ahead_sec += TIMEOUT_SEC + 6

    assert run.has_hung()
    assert run.context().cancelled
    assert run.context().remaining() == 0
