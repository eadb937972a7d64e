"""What came of a run is told soon, though the first request is never answered."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

import pytest

from onthedot.client import runs
from onthedot.client.client import Client
from onthedot.core.policy import Done
from onthedot.worker.fetched import fetched
from onthedot.worker.telling import tell

# What `onthedot worker --lease-sec 20` gives its client: half of the lease.
CLIENT_SEC = 10.0


@contextmanager
def deaf(requests: int) -> Iterator[tuple[str, list[str]]]:
    """An API whose first requests hang, as those that meet a cold start on a busy machine."""
    asked: list[str] = []
    over = threading.Event()

    class Api(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_POST(self) -> None:
            self.rfile.read(int(self.headers["content-length"]))
            asked.append(self.path)
            if len(asked) <= requests:
                over.wait(CLIENT_SEC * 2)
            self.send_response(204)
            self.end_headers()

        def log_message(self, *_: object) -> None:
            """Say nothing."""

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


def test_a_request_that_hangs_does_not_hold_up_what_came_of_a_run(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(runs, "_PATIENCE_SEC", 0.3)
    now = datetime.now(UTC).isoformat(timespec="milliseconds")
    run = {"run_id": "sch_A.20261118T120000Z", "task_id": "sch_A", "started_at": now}
    lease = {"run": run, "attempt": 1, "lease_until": now, "deadline": now}

    with deaf(requests=1) as (url, asked):
        client = Client(url, "a-key", CLIENT_SEC)
        working = fetched(client, lease, 20, asked_at=time.time())  # type: ignore[arg-type] # as JSON has it
        began = time.monotonic()
        told = tell(working, Done("done"))
        took_sec = time.monotonic() - began
        client.transport.close()

    assert told
    assert len(asked) == 2
    assert took_sec < CLIENT_SEC / 2


def test_what_is_said_of_a_run_is_waited_for_less_long_than_a_lease_lasts() -> None:
    shortest_lease_sec = 10

    assert shortest_lease_sec > runs._PATIENCE_SEC * 3  # noqa: SLF001
