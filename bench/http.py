"""Measures HTTP targets: calls a second from one worker process to a receiver in another."""

from __future__ import annotations

import asyncio
import multiprocessing
import os
import time
from collections.abc import Iterator
from concurrent.futures import wait
from functools import partial
from multiprocessing.connection import Connection

from bench.measure import Line, at_least, at_most
from onthedot.store import clock
from onthedot.targets.attempt_outcome import Answer, Done
from onthedot.targets.call import Call
from onthedot.targets.http import http_client
from onthedot.work import handler_pool
from onthedot.work.target_call import deliver

CALLS = 3_000
WIDTH = 25
ANSWER = b"HTTP/1.1 200 OK\r\ncontent-length: 2\r\n\r\nok"


def lines() -> Iterator[Line]:
    """Takes a worker's own path, from call to answer, with as many at once as a pack has."""
    os.environ["TARGET_NETWORKS"] = "127.0.0.1/32"
    here, there = multiprocessing.Pipe()
    receiver = multiprocessing.get_context("spawn").Process(target=_receive, args=(there,))
    receiver.start()
    try:
        port = here.recv()
        _rate(port, WIDTH * 4)
        yield at_least(f"{CALLS:,} calls, {WIDTH} at once", _rate(port, CALLS), 500, "calls/s")
        here.send("how many")
        yield at_most("connections made for all of them", here.recv(), WIDTH, "")
    finally:
        receiver.kill()
        receiver.join()
        http_client._idle.clear()  # noqa: SLF001 what is kept leads to a receiver that is gone


def _rate(port: int, count: int) -> float:
    began = time.perf_counter()
    for first in range(0, count, WIDTH):
        parts = [handler_pool.submit(partial(_call, port, first + place)) for place in range(WIDTH)]
        done, _ = wait(parts)
        if not all(isinstance(part.result(), Done) for part in done):
            raise RuntimeError("the receiver did not answer every call")
    return count / (time.perf_counter() - began)


def _call(port: int, number: int) -> Answer:
    return deliver(
        Call(
            run_id=f"sch_A.{number}",
            task_id="sch_A",
            tenant_id="acme",
            name="some",
            origin="schedule",
            attempt=1,
            max_attempts=3,
            scheduled_for=None,
            due_ms=clock.now_ms(),
            deadline_ms=clock.now_ms() + 10_000,
            target={"type": "http", "url": f"http://127.0.0.1:{port}/"},
            payload={"order": number},
            checkpoint=None,
            cancelled=lambda: False,
            lease_lost=lambda: False,
            report=lambda _progress: None,
        )
    )


def _receive(pipe: Connection) -> None:
    asyncio.run(_serve(pipe))


async def _serve(pipe: Connection) -> None:
    """Answers every request with as little work as possible, so that it is not what is measured."""
    made = 0

    async def answer(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        nonlocal made
        made += 1
        try:
            while True:
                head = await reader.readuntil(b"\r\n\r\n")
                length = next(
                    int(line.split(b":")[1])
                    for line in head.lower().split(b"\r\n")
                    if line.startswith(b"content-length")
                )
                await reader.readexactly(length)
                writer.write(ANSWER)
        except (asyncio.IncompleteReadError, ConnectionError):
            writer.close()

    server = await asyncio.start_server(answer, "127.0.0.1", 0)
    pipe.send(server.sockets[0].getsockname()[1])
    await asyncio.to_thread(pipe.recv)
    pipe.send(made)
    await asyncio.sleep(60)
