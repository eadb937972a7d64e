"""Real time on the local stack: registered, dispatched, delivered at the second, settled."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from functools import partial

from bench import recording
from lambdas import dispatch, work
from onthedot.records.runs.run_row import Run
from tests.engines.place import Place, put, rows
from tests.engines.tasks import create, task

WORKERS = 3
SLOTS = 3
PATIENCE_SEC = 12
# A start is a call away from its due time; a busy machine makes that longer, never shorter.
LATE_MS_MAX = 1_000


def test_runs_due_within_seconds_start_at_their_second(quick_place: Place) -> None:
    recording.calls.clear()
    begin = int(time.time()) + 3
    soon = partial(task, text="* * * * * *", until=begin + SLOTS - 1, effective_from=begin - 1)
    # What is due within the look-ahead, registering dispatches itself; a rule finds the others.
    tasks = [create(soon(number)) for number in (1, 2)]
    tasks += [put(soon(number, overlap="allow", max_concurrent=None)) for number in (3, 4)]
    counts = dispatch.handler({}, None)

    runs = _worked(quick_place, [each.task_id for each in tasks])

    assert counts["sent"] == 2 * SLOTS
    assert [run.life.status for run in runs] == ["succeeded"] * len(tasks) * SLOTS
    assert {run.life.starts for run in runs} == {1}
    assert sorted(call.run_id for call in recording.calls) == sorted(run.run_id for run in runs)
    late = [run.life.its_attempt.started_ms - run.life.due_ms for run in runs]
    assert min(late) >= 0
    assert max(late) < LATE_MS_MAX


def _worked(place: Place, task_ids: list[str]) -> list[Run]:
    """Returns the runs, once workers have dealt with all of them."""
    deadline = time.monotonic() + PATIENCE_SEC
    found: list[Run] = []

    def poll(_: int) -> None:
        while time.monotonic() < deadline and not _all_over(found):
            place.poll(lambda event: work.handler(event, None), wait_sec=1)
            found[:] = [run for each in task_ids for run in rows(each).values()]

    with ThreadPoolExecutor(WORKERS) as workers:
        list(workers.map(poll, range(WORKERS)))
    return found


def _all_over(runs: list[Run]) -> bool:
    return bool(runs) and all(run.final for run in runs)
