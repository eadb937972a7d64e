"""Shows that a tick costs what is due, not what is registered: equal calls, reads and units."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from dataclasses import dataclass, field
from statistics import median
from typing import Any

from bench.measure import Line, at_most, told
from bench.stack import Stack, daily_tasks, put_idle, register, stack, use
from onthedot.dispatch.dispatcher import dispatch
from onthedot.store import aws

SIZES = os.environ.get("BENCH_TASKS", "1000,100000,1000000")
REGISTERED = tuple(int(size) for size in SIZES.split(","))
DUE, TURNS = 100, 5
RATIO_MAX = 1.5


@dataclass(slots=True)
class Cost:
    """What each tick cost."""

    seconds: list[float] = field(default_factory=list)
    calls: set[int] = field(default_factory=set)
    units: set[float] = field(default_factory=set)


def lines() -> Iterator[Line]:
    """Runs the same hundred due tasks beside more and more idle ones, in five turns."""
    costs = {size: Cost() for size in REGISTERED}
    with stack() as started:
        for size in REGISTERED:
            use(f"-{size}")
            started.empty()
            put_idle(size)
        consumed = _count_units()
        for _ in range(TURNS):
            for size, cost in costs.items():
                use(f"-{size}")
                _take_a_turn(started, consumed, cost)
    first = costs[REGISTERED[0]]
    for size, cost in costs.items():
        same = cost.calls == first.calls and cost.units == first.units
        what = f"{DUE} due of {size:,}: {min(cost.calls)} calls, {min(cost.units):g} units"
        yield told(what, median(cost.seconds) * 1000, "ms")
        yield at_most(f"{size:,} registered: other calls or units", float(not same), 0, "")
        ratio = median(cost.seconds) / median(first.seconds)
        over = f"{size:,} registered: time over that of {REGISTERED[0]:,}"
        yield at_most(over, ratio, RATIO_MAX, "")


def _take_a_turn(started: Stack, consumed: list[float], cost: Cost) -> None:
    register(daily_tasks(DUE, int(time.time()) + 30, 60))
    started.calls.clear()
    consumed.clear()
    begun = time.perf_counter()
    tick = dispatch(range(256))
    cost.seconds.append(time.perf_counter() - begun)
    if tick.counts["advanced"] != DUE:
        raise RuntimeError(f"dispatched {tick.counts}")
    cost.calls.add(started.calls.total())
    cost.units.add(round(sum(consumed), 1))


def _count_units() -> list[float]:
    consumed: list[float] = []
    events = aws.client("dynamodb").meta.events

    def ask(params: dict[str, Any], **_: object) -> None:
        params["ReturnConsumedCapacity"] = "TOTAL"

    def add(parsed: dict[str, Any], **_: object) -> None:
        capacity = parsed.get("ConsumedCapacity") or ()
        listed = [capacity] if isinstance(capacity, dict) else capacity
        consumed.extend(one["CapacityUnits"] for one in listed)

    events.register("before-parameter-build.dynamodb.*", ask)
    events.register("after-call.dynamodb.*", add)
    return consumed
