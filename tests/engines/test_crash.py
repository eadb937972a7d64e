"""Dynoxide on disk, killed in mid-stream: whatever it acknowledged is there afterwards."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest
from botocore.exceptions import BotoCoreError, ClientError

from onthedot.records.conditional_writes import Outcome
from onthedot.records.runs import run_writes
from onthedot.records.tasks import task_cursor
from onthedot.records.tasks.task_spec import Task
from onthedot.schedule.time.instants import nominal, parse_nominal
from onthedot.store import conditional_writer, table_reads
from tests.contract import engines
from tests.engines.place import Place, cursor, put, rows
from tests.engines.tasks import SLOT, claimed, task

THREADS = 6
ACKNOWLEDGED_MIN = 200
PATIENCE_SEC = 20.0


def test_every_acknowledged_claim_and_advance_survives_kill_9(
    settings: pytest.MonkeyPatch, database: Path, ministack_url: str
) -> None:
    port = engines.free_port()
    url = f"http://127.0.0.1:{port}"
    acknowledged: list[list[int]] = [[] for _ in range(THREADS)]
    with (
        engines.dynoxide_process(port, "--db-path", str(database)) as process,
        ThreadPoolExecutor(THREADS) as threads,
    ):
        Place.made(settings, dynamodb=url, sqs=ministack_url)
        tasks = [put(task(number, "* * * * * *"), SLOT) for number in range(THREADS)]
        streams = [threads.submit(_stream, *pair) for pair in zip(tasks, acknowledged, strict=True)]
        _wait_for(acknowledged)
        process.kill()
        process.wait()
        ends = [stream.result() for stream in streams]

    with engines.dynoxide_process(port, "--db-path", str(database)):
        kept = [rows(each.task_id) for each in tasks]
        cursors = [parse_nominal(cursor(each.task_id)["next_run_at"]) for each in tasks]
        indexed = [
            item["next_run_at"]
            for each in tasks
            for page in table_reads.due_pages(cursor(each.task_id)["due_shard"], ("0", "9"))
            for item in page
            if item["task_id"] == each.task_id
        ]

    assert ends == ["killed"] * THREADS
    for slots, runs, at in zip(acknowledged, kept, cursors, strict=True):
        assert {nominal(slot) for slot in slots} <= set(runs)
        # The one in flight may be done or not; nothing further can be.
        assert len(runs) - len(slots) in (0, 1)
        assert at - (slots[-1] + 1) in (0, 1)
    assert sorted(indexed) == sorted(nominal(at) for at in cursors)


def _stream(of: Task, acknowledged: list[int]) -> str:
    """Claims and advance second by second, noting what was acknowledged, until the end."""
    due = task_cursor.parse(cursor(of.task_id))
    try:
        while True:
            slot = due.next_run_at
            insert = run_writes.insert(claimed("d", slot, task_id=of.task_id), now_ms=0)
            advance = task_cursor.advance(due, slot + 1, 1)
            (outcome,) = conditional_writer.write_many([insert])
            if outcome is Outcome.UNSURE:
                # No answer came: it may be done or not.
                return "killed"
            assert outcome is Outcome.DONE
            assert conditional_writer.write_one(advance) is Outcome.DONE
            acknowledged.append(slot)
            due = task_cursor.parse(cursor(of.task_id))
    except (BotoCoreError, ClientError):
        return "killed"


def _wait_for(acknowledged: list[list[int]]) -> None:
    deadline = time.monotonic() + PATIENCE_SEC
    while sum(map(len, acknowledged)) < ACKNOWLEDGED_MIN or not all(acknowledged):
        assert time.monotonic() < deadline
        time.sleep(0.005)
