"""Measures dispatch: fires a second from one process, against the floor of its calls; memory."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import Iterator

from bench.floor import Request, record, send_again
from bench.measure import Line, at_least, at_most
from bench.stack import WIDTH, Stack, daily_tasks, register, stack
from onthedot.dispatch.dispatcher import dispatch

FIRES = 5_000
# Tasks that a tick finds after an outage: as many as it takes at once, and several times that.
BACKLOGS = (5_000, 20_000)
ROUNDS = 3
FIRES_MIN, FLOOR_MIN, CALLS_MAX, MEMORY_MAX_MB = 2_500, 0.8, 0.12, 150
SHARDS = range(256)


def lines() -> Iterator[Line]:
    """Measures dispatch and floor in turn on the same servers. The best of each counts."""
    requests: list[Request] = []
    took, floor_took = [], []
    with stack() as started:
        for turn in range(ROUNDS):
            tasks = daily_tasks(FIRES, int(time.time()) + 30, 60)
            started.empty()
            register(tasks)
            started.calls.clear()
            if not turn:
                record(requests)
            requests.clear()
            begun = time.perf_counter()
            tick = dispatch(SHARDS)
            took.append(time.perf_counter() - begun)
            if tick.counts["advanced"] != FIRES:
                raise RuntimeError(f"dispatched {tick.counts}")
            calls = started.calls.total()
            recorded = list(requests)
            started.empty()
            register(tasks)
            begun = time.perf_counter()
            send_again(recorded, int(WIDTH))
            floor_took.append(time.perf_counter() - begun)
        peaks = {backlog: _peak_mb(started, backlog) for backlog in BACKLOGS}
    rate, floor = FIRES / min(took), FIRES / min(floor_took)
    yield at_least(f"fires a second, {FIRES:,} due, planning included", rate, FIRES_MIN, "/s")
    yield at_least(f"of the floor of its calls ({floor:,.0f}/s)", rate / floor, FLOOR_MIN, "")
    beyond = (calls - len(SHARDS)) / FIRES
    yield at_most(f"calls a fire beyond the 256 queries ({calls} in all)", beyond, CALLS_MAX, "")
    for backlog, peak_mb in peaks.items():
        yield at_most(
            f"peak memory of a tick that finds {backlog:,} due", peak_mb, MEMORY_MAX_MB, "MB"
        )


def _peak_mb(started: Stack, backlog: int) -> float:
    """Lets the deployed handler dispatch them, in a process that holds nothing else."""
    started.empty()
    register(daily_tasks(backlog, int(time.time()) + 30, 60))
    command = [sys.executable, "-m", "bench.alone"]
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    advanced, peak_mb = said.splitlines()[-1].split()
    if int(advanced) != backlog:
        raise RuntimeError(f"dispatched {advanced} of {backlog}")
    return float(peak_mb)
