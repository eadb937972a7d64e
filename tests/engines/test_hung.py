"""A handler that never returns: its run is timed out, the others are done, the process ends."""

from __future__ import annotations

import time
from dataclasses import replace
from pathlib import Path
from typing import Any

from onthedot.launch.trigger import trigger
from onthedot.records.tasks.task_spec import Task
from tests.engines.hands import begin_work, write_jobs
from tests.engines.place import Place, put, rows
from tests.engines.tasks import task

HANDLERS = """
@app.job()
def hung():
    while True:
        pass

@app.job()
def fine():
    time.sleep(0.2)
    return "fine"
"""
TIMEOUT_SEC = 2
GRACE_SEC = 5
PATIENCE_SEC = 90


def test_a_hung_handler_takes_only_its_own_attempt_and_its_process_along(
    quick_place: Place, tmp_path: Path
) -> None:
    write_jobs(tmp_path, HANDLERS)
    names = ("hung", "fine", "fine")
    tasks = [
        put(_task(number, name, max_attempts=1 if name == "hung" else 3))
        for number, name in enumerate(names)
    ]
    for each in tasks:
        trigger(each.task_id)
    records = _received(quick_place, len(names))

    process = begin_work(tmp_path, records)
    _, said = process.communicate(timeout=PATIENCE_SEC)

    hung, *fine = (next(iter(rows(each.task_id).values())).life for each in tasks)
    assert (hung.status, hung.its_end.error["type"]) == ("dead", "TimedOut")
    assert (hung.its_end.ended_ms - hung.its_attempt.started_ms) / 1000 >= TIMEOUT_SEC + GRACE_SEC
    assert [(life.status, life.its_end.result) for life in fine] == [("succeeded", "fine")] * 2
    assert process.returncode == 1, said
    # All is acknowledged: nothing comes back when the messages would be visible again.
    assert quick_place.receive() == []


def _task(number: int, handler: str, **given: Any) -> Task:
    plain = task(number, "0 0 1 1 *", timeout_sec=TIMEOUT_SEC, **given)
    return replace(plain, target={"type": "python", "handler": handler})


def _received(place: Place, count: int) -> list[dict[str, Any]]:
    records: list[dict[str, Any]] = []
    deadline = time.monotonic() + 60
    while len(records) < count and time.monotonic() < deadline:
        records += place.receive(wait_sec=1)
    return records
