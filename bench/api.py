"""Measures the processor time of a request over Dynoxide, and pages of 100,000 tasks."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator

import pytest

from bench.measure import Line, at_most, told
from onthedot.records.access.audit_trail import By
from onthedot.records.attributes import typed_item
from onthedot.registry import oneoff
from onthedot.registry.lifecycle import stamped
from onthedot.store import aws, table_reads
from onthedot.store.ids import new_id
from tests.api.kit import NOON, SCHEDULE, Api
from tests.contract import engines

RUNS, REQUESTS = 3, 200
TASKS = 100_000
PAGE = 200
_TARGET = {"type": "python", "handler": "hello"}


def lines() -> Iterator[Line]:
    """Measures get, create and list three times each, then the first page and the last."""
    with engines.dynoxide() as url, pytest.MonkeyPatch.context() as settings:
        api = Api.made(settings, url)
        table_reads.put("access", {"pk": "tenant#acme", "sk": "-", "requests_per_min": 10_000_000})
        made = [api.schedule(f"seen-{number}")["task_id"] for number in range(50)]
        names = iter(f"new-{number}" for number in range(RUNS * REQUESTS + RUNS))
        yield from _requests("a get", 5, lambda: api.call(f"GET /v1/schedules/{made[0]}"))
        yield from _requests("a list of 50", 10, lambda: api.call("GET /v1/schedules?limit=50"))
        yield from _requests(
            "a create",
            10,
            lambda: api.call("POST /v1/schedules", SCHEDULE | {"name": next(names)}),
        )
        yield from _pages(api)


def _requests(what: str, limit_ms: float, call: Callable[[], object]) -> Iterator[Line]:
    call()
    for run in range(1, RUNS + 1):
        taken = sorted(_cpu_ms(call) for _ in range(REQUESTS))
        p95 = taken[REQUESTS * 95 // 100]
        yield at_most(f"{what}, CPU, p95 of {REQUESTS}, run {run}", p95, limit_ms, "ms")


def _cpu_ms(call: Callable[[], object]) -> float:
    started = time.process_time_ns()
    call()
    return (time.process_time_ns() - started) / 1_000_000


def _pages(api: Api) -> Iterator[Line]:
    _fill(api)
    cursor: str | None = ""
    taken, seen = [], 0
    while cursor is not None:
        started = time.perf_counter()
        page = api.call(f"GET /v1/tasks?limit={PAGE}{cursor and f'&cursor={cursor}'}").body
        taken.append((time.perf_counter() - started) * 1000)
        seen, cursor = seen + len(page["data"]), page["next_cursor"]
    tenth = len(taken) // 10
    first, last = (sorted(part)[tenth // 2] for part in (taken[:tenth], taken[-tenth:]))
    yield told(f"{seen:,} tasks in pages of {PAGE}, the first tenth's median page", first, "ms")
    yield at_most("the last tenth's median page, against the first's", last / first, 1.25, "x")


def _fill(api: Api) -> None:
    by = By(
        tenant_id="acme", key_id="key_1", request_id="req_1", now_ms=NOON * 1000, chance="0" * 16
    )
    for _ in range(0, TASKS, 25):
        api.now_ms += 1
        requests = []
        for _ in range(25):
            fields = {"target": _TARGET, "delay_sec": 86_400}
            task = oneoff.define(fields, task_id=new_id("tsk"), tenant_id="acme", now_ms=api.now_ms)
            requests.append({"PutRequest": {"Item": typed_item(stamped(task, by).item())}})
        aws.dynamodb("batch_write_item", RequestItems={aws.table("tasks"): requests})
