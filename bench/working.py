"""Measures work: how late runs start that were queued ahead, and the calls that a run costs."""

from __future__ import annotations

import time
from collections.abc import Iterator, Sequence
from typing import Any

from bench import poller
from bench.measure import Line, at_least, at_most, told
from bench.stack import Stack, daily_tasks, register, stack
from onthedot.dispatch.dispatcher import dispatch
from onthedot.records.attributes import plain_item
from onthedot.records.tasks.task_spec import Task
from onthedot.store import aws

WORKERS = 6
AHEAD_SEC = 14
QUIET_SEC = 4
ALL_AT_ONCE = ((1_000, 0.3), (5_000, 1.5))
SPREAD_A_SEC, SPREAD_SEC = 20, 15


def lines() -> Iterator[Line]:
    """Measures all runs at one second, then spread."""
    with stack() as started:
        for count, limit in ALL_AT_ONCE:
            late = _lateness(started, daily_tasks(count, _soon(), 1))
            yield at_most(
                f"{count:,} in one second: the last started late by", late[-1], limit, "s"
            )
            yield told(f"{count:,} in one second: half of them by", late[len(late) // 2], "s")
            yield at_least(f"{count:,} in one second: the earliest by", late[0], 0, "s")
        late = _lateness(started, daily_tasks(SPREAD_A_SEC * SPREAD_SEC, _soon(), SPREAD_SEC))
        yield at_most(f"{SPREAD_A_SEC} a second: p50 late by", late[len(late) // 2], 0.010, "s")
        yield at_most(
            f"{SPREAD_A_SEC} a second: p99 late by", late[len(late) * 99 // 100], 0.050, "s"
        )
        yield at_least(f"{SPREAD_A_SEC} a second: the earliest by", late[0], 0, "s")


def _soon() -> int:
    return int(time.time()) + AHEAD_SEC


def _lateness(started: Stack, tasks: Sequence[Task]) -> list[float]:
    """Returns the seconds from due time to call, sorted."""
    started.empty()
    register(tasks)
    dispatch(range(256))
    workers = poller.start(WORKERS)
    try:
        # A look costs as much as a start, so it waits until nearly all have started.
        time.sleep(AHEAD_SEC + QUIET_SEC)
        deadline = time.monotonic() + 60
        while len(lives := _started()) < len(tasks) and time.monotonic() < deadline:
            time.sleep(0.5)
    finally:
        for worker in workers:
            worker.kill()
            worker.join()
    if len(lives) < len(tasks):
        raise RuntimeError(f"{len(lives)} of {len(tasks)} runs started within a minute")
    return sorted((int(life["result"]) - life["due_ms"]) / 1000 for life in lives)


def _started() -> list[dict[str, Any]]:
    pages = aws.client("dynamodb").get_paginator("scan").paginate(TableName=aws.table("runs"))
    rows = [plain_item(item) for page in pages for item in page["Items"]]
    return [row["life"] for row in rows if row.get("life", {}).get("status") == "succeeded"]
