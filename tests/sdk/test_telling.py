"""What came of a run is told soon, though the first request is never answered."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from onthedot.client import runs
from onthedot.client.client import Client
from onthedot.targets.attempt_outcome import Done
from onthedot.worker.leased_run import fetched
from onthedot.worker.run_report import tell

# What `onthedot worker --lease-sec 20` gives its client: half of the lease.
CLIENT_SEC = 10.0


@contextmanager
def deaf(requests: int, took_sec: float = 0) -> Iterator[tuple[str, list[int]]]:
    """Yields an API whose first requests hang, as those that meet a cold start on a busy machine.

    It notes of each request how many there were beside it.
    """
    asked: list[int] = []
    beside: list[int] = []
    over = threading.Event()

    class Api(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            beside.append(1)
            asked.append(len(beside))
            over.wait(CLIENT_SEC * 2 if len(asked) <= requests else took_sec)
            beside.pop()
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Says nothing."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Api)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}", asked
    finally:
        over.set()
        server.shutdown()
        server.server_close()


def told_once(url: str) -> bool:
    """Tells that a run is done."""
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    run = {"run_id": "sch_A.20261118T120000Z", "task_id": "sch_A", "started_at": now}
    lease = {"run": run, "attempt": 1, "lease_until": now, "deadline": now}
    client = Client(url, "a-key", CLIENT_SEC)
    working = fetched(client, lease, 20, asked_at=time.time())  # type: ignore[arg-type] # as JSON has it
    done = tell(working, Done("done"))
    client.transport.close()
    return done


def test_a_request_that_hangs_does_not_hold_up_what_came_of_a_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runs, "_PATIENCE_SEC", 0.3)

    with deaf(requests=1) as (url, asked):
        began = time.monotonic()
        told = told_once(url)
        took_sec = time.monotonic() - began

    assert told
    assert len(asked) == 2
    assert took_sec < CLIENT_SEC / 2


def test_jobs_that_end_together_are_told_of_in_turns() -> None:
    """Each request beside others may cost a cold start of the API."""
    with deaf(requests=0, took_sec=0.05) as (url, asked):
        with ThreadPoolExecutor(8) as pool:
            told = list(pool.map(lambda _: told_once(url), range(8)))
        assert told == [True] * 8
        assert 1 <= max(asked) <= 2
