"""Measures when https runs start, are called and arrive, on the processor of a small function.

Lambda gives 512 MB 0.29 of it, and a whole one for imports: the worker is stopped every 20 ms.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from multiprocessing import get_context
from pathlib import Path
from threading import Event, Thread
from typing import Any

from bench.https_receiver import certificate, receive
from bench.measure import Line, at_most, told
from bench.stack import Stack, daily_tasks, register, stack
from onthedot.dispatch.dispatcher import dispatch
from onthedot.records.attributes import plain_item
from onthedot.records.tasks.task_spec import Task
from onthedot.store import aws, queue

SHARE = 0.29
_PERIOD_SEC = 0.02
_AHEAD_SEC = 8
_PACK = 25
COUNTS = (1, 25, 250)
# Milliseconds: the last of a cold pack, and 95 of a hundred of a warm batch.
COLD_MS, WARM_MS = 500, 500


@dataclass(frozen=True, slots=True)
class Times:
    """Milliseconds after the due time, sorted: the start's write, the call, its arrival."""

    started: Sequence[float]
    called: Sequence[float]
    arrived: Sequence[float]


def lines() -> Iterator[Line]:
    """Takes 1, 25 and 250 runs of one second, each first cold and then warm."""
    with tempfile.TemporaryDirectory() as folder, _receiver(Path(folder)) as (here, port):
        os.environ |= {
            "TARGET_CA_BUNDLE": str(Path(folder) / "localhost.pem"),
            "TARGET_NETWORKS": "127.0.0.1/32,::1/128",
        }
        with stack() as started:
            for count in COUNTS:
                yield from _of_one_worker(started, here, port, count)


def _of_one_worker(started: Stack, here: Any, port: int, count: int) -> Iterator[Line]:  # noqa: ANN401 a pipe
    with _worker() as worker:
        for state in ("cold", "warm"):
            times = _measured(started, worker, here, _tasks(port, count))
            yield from _lines_of(f"{count} runs, {state}", times)


def _lines_of(name: str, times: Times) -> Iterator[Line]:
    for what in ("started", "called"):
        found = getattr(times, what)
        yield told(f"{name}: p50 {what} late by", found[len(found) // 2], "ms")
    yield told(f"{name}: p50 arrived late by", times.arrived[len(times.arrived) // 2], "ms")
    last, p95 = times.arrived[-1], times.arrived[len(times.arrived) * 95 // 100]
    if name == "25 runs, cold":
        yield at_most(f"{name}: the last arrived late by", last, COLD_MS, "ms")
    elif name == "250 runs, warm":
        yield at_most(f"{name}: p95 arrived late by", p95, WARM_MS, "ms")
    else:
        yield told(f"{name}: the last arrived late by", last, "ms")


def _tasks(port: int, count: int) -> list[Task]:
    url = f"https://localhost:{port}/"
    target = {"type": "http", "url": url, "method": "POST", "headers": {}, "success": ["2xx"]}
    due_at = int(time.time()) + _AHEAD_SEC
    return [
        replace(task, overlap="skip", max_concurrent=1, target=target)
        for task in daily_tasks(count, due_at, 1)
    ]


def _measured(started: Stack, worker: Any, here: Any, tasks: Sequence[Task]) -> Times:  # noqa: ANN401 a process, a pipe
    started.empty()
    register(tasks)
    dispatch(range(256))
    event = _event(-(-len(tasks) // _PACK))
    with _small(worker.pid):
        worker.stdin.write(json.dumps(event) + "\n")
        worker.stdin.flush()
        worker.stdout.readline()
    here.send("when")
    arrived: dict[str, float] = here.recv()
    lives = [item["life"] for item in _rows() if item.get("life", {}).get("attempt")]
    if len(lives) != len(tasks) or len(arrived) != len(tasks):
        raise RuntimeError(f"{len(lives)} started and {len(arrived)} arrived of {len(tasks)}")
    due_ms = lives[0]["due_ms"]
    return Times(
        sorted(life["started_ms"] - due_ms for life in lives),
        sorted(life["called_ms"] - due_ms for life in lives),
        sorted(at * 1000 - due_ms for at in arrived.values()),
    )


def _rows() -> list[dict[str, Any]]:
    pages = aws.client("dynamodb").get_paginator("scan").paginate(TableName=aws.table("runs"))
    return [plain_item(item) for page in pages for item in page["Items"]]


def _event(messages: int) -> dict[str, Any]:
    """Receives all messages of the second, as Lambda's poller hands a batch over."""
    found: list[dict[str, Any]] = []
    url = os.environ["NORMAL_QUEUE_URL"]
    while len(found) < messages:
        found += queue.receive("normal", 10, visible_sec=960, wait_sec=1)
    source = f"arn:aws:sqs:us-east-1:000000000000:{url.rsplit('/', 1)[-1]}"
    return {"Records": [each | {"eventSourceARN": source} for each in found]}


@contextmanager
def _worker() -> Iterator[subprocess.Popen[str]]:
    """Starts a worker that has been imported, and nothing else."""
    command = [sys.executable, "-m", "bench.small_worker", "lambdas.work"]
    environment = os.environ | {"AWS_LAMBDA_FUNCTION_NAME": "work"}
    process = subprocess.Popen(
        command, env=environment, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True
    )
    try:
        if process.stdout is None or process.stdout.readline() != "ready\n":
            raise RuntimeError("the worker did not start")
        yield process
    finally:
        process.kill()
        process.wait()


@contextmanager
def _small(pid: int) -> Iterator[None]:
    """Gives the process its share of the processor while the block lasts."""
    over = Event()

    def throttle() -> None:
        while not over.is_set():
            os.kill(pid, signal.SIGCONT)
            time.sleep(_PERIOD_SEC * SHARE)
            os.kill(pid, signal.SIGSTOP)
            time.sleep(_PERIOD_SEC * (1 - SHARE))
        os.kill(pid, signal.SIGCONT)

    thread = Thread(target=throttle)
    thread.start()
    try:
        yield
    finally:
        over.set()
        thread.join()


@contextmanager
def _receiver(folder: Path) -> Iterator[tuple[Any, int]]:
    path = certificate(folder)
    here, there = get_context("spawn").Pipe()
    process = get_context("spawn").Process(target=receive, args=(there, str(path)))
    process.start()
    try:
        yield here, here.recv()
    finally:
        process.kill()
        process.join()
