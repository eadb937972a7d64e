"""What a tenant's quota costs, from the message to the outcome; and that it holds for real."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise

import pytest

from lambdas import work
from onthedot.dispatch.dispatcher import dispatch
from onthedot.launch.trigger import trigger
from onthedot.records.runs.run_row import Run
from onthedot.work.gates import tenant_line
from tests.engines.meter import Meter, metered
from tests.engines.place import Place, put, rows
from tests.engines.tasks import SHARDS, daily, last_minute, task

RUNS = 25
# The permit is taken and given back; where all start at once nobody is called.
MORE_UNITS = 2.0
# The places and the line are read before the start, the line again after the end.
MORE_CALLS = 6
PATIENCE_SEC = 20


def _worked(place: Place, numbers: range) -> tuple[Meter, list[Run]]:
    minute = last_minute()
    tasks = [put(daily(number, minute, overlap="allow", max_concurrent=None)) for number in numbers]
    dispatch(SHARDS)
    with metered() as working:
        while place.poll(lambda event: work.handler(event, None)):
            pass
    return working, [run for each in tasks for run in rows(each.task_id).values()]


def test_a_quota_costs_two_units_a_run_and_none_costs_nothing(quick_place: Place) -> None:
    without, first = _worked(quick_place, range(RUNS))
    tenant_line.set_limit(first[0].tenant_id, 2 * RUNS)
    within, second = _worked(quick_place, range(RUNS, 2 * RUNS))

    more = (within.written - without.written) / RUNS
    print(
        f"{RUNS} runs: {without.written / RUNS:.2f} write units a run without a quota, "
        f"{within.written / RUNS:.2f} with one; {without.read / RUNS:.2f} and "
        f"{within.read / RUNS:.2f} read units; calls {dict(without.calls)}, {dict(within.calls)}"
    )
    assert {run.life.status for run in (*first, *second)} == {"succeeded"}
    assert more <= MORE_UNITS
    assert "Query" not in without.calls
    assert within.calls.total() - without.calls.total() <= MORE_CALLS


@pytest.mark.parametrize("most", [1, 3])
def test_workers_side_by_side_keep_to_it_and_leave_nobody(quick_place: Place, most: int) -> None:
    tasks = [
        put(task(number, "0 0 1 1 *", overlap="allow", max_concurrent=None)) for number in range(12)
    ]
    tenant_line.set_limit(tasks[0].tenant_id, most)
    for each in tasks:
        trigger(each.task_id)
    deadline = time.monotonic() + PATIENCE_SEC
    found: list[Run] = []

    def poll(_: int) -> None:
        while time.monotonic() < deadline and not (found and all(run.final for run in found)):
            quick_place.poll(lambda event: work.handler(event, None), wait_sec=1)
            found[:] = [run for each in tasks for run in rows(each.task_id).values()]

    with ThreadPoolExecutor(3) as workers:
        list(workers.map(poll, range(3)))

    assert [(run.life.status, run.life.starts) for run in found] == [("succeeded", 1)] * 12
    spans = [(run.life.its_attempt.started_ms, run.life.its_end.ended_ms) for run in found]
    gaps = [late[0] - soon[1] for soon, late in pairwise(sorted(spans))]
    print(f"running_max {most}: from an end to the next start {sorted(gaps)} ms")
    at_once = [sum(begin <= at < end for begin, end in spans) for at, _ in spans]
    assert max(at_once) <= most
    assert {permit.holder for permit in tenant_line.read(tasks[0].tenant_id).permits.values()} == {
        ""
    }
