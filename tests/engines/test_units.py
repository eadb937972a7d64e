"""What a run costs in write units and calls, from the tick that claims it to its outcome."""

from __future__ import annotations

import pytest

from lambdas import work
from onthedot.dispatch.dispatcher import dispatch
from tests.engines.meter import Meter, metered
from tests.engines.place import Place, put, rows
from tests.engines.tasks import SHARDS, daily, last_minute

PAYLOAD = {"text": "p" * 4_000}
# Manifest 0.04, claim 1, advance 3, start 1, settle 1, the backlog's item 0.04; a gate 1 or 2.
UNITS_MAX = {"allow": 6.1, "skip": 7.1, "queue": 8.1, "cancel_previous": 8.1}


@pytest.mark.parametrize("runs", [25, 100])
@pytest.mark.parametrize("overlap", UNITS_MAX)
def test_a_run_costs_no_more_write_units_than_promised(
    quick_place: Place, overlap: str, runs: int
) -> None:
    bound = None if overlap == "allow" else 1
    minute = last_minute()
    tasks = [
        put(daily(number, minute, overlap=overlap, max_concurrent=bound, payload=PAYLOAD))
        for number in range(runs)
    ]

    with metered() as dispatching:
        counts = dispatch(SHARDS).counts
    with metered() as working:
        while quick_place.poll(lambda event: work.handler(event, None)):
            pass

    found = [run.life.status for task in tasks for run in rows(task.task_id).values()]
    assert (counts["sent"], found) == (runs, ["succeeded"] * runs)
    per_run = (dispatching.written + working.written) / runs
    print(_report(overlap, runs, dispatching, working))
    assert per_run <= UNITS_MAX[overlap]


def _report(overlap: str, runs: int, dispatching: Meter, working: Meter) -> str:
    written = dispatching.written + working.written
    return (
        f"{overlap}, {runs} runs: {written / runs:.3f} write units a run "
        f"(dispatch {dispatching.written / runs:.3f}, work {working.written / runs:.3f}), "
        f"{working.read / runs:.2f} read units a run in work; calls {dict(dispatching.calls)}, "
        f"{dict(working.calls)}"
    )
