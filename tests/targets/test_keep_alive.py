"""A connection that waits for a slow answer sends probes long before a network forgets it."""

from __future__ import annotations

import socket
from collections.abc import Iterator
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from threading import Event, Thread

import pytest

from onthedot.store import aws
from onthedot.store.keep_alive import IDLE_SEC
from onthedot.targets.http import http_client
from onthedot.targets.http.web_exchange import Request
from tests.engines.place import surroundings

# In /proc/net/tcp: the timer of a connection that is kept alive, and hundredths of a second.
KEPT_ALIVE, HZ = "02", 100
FORGOTTEN_SEC = 350


class Slow(BaseHTTPRequestHandler):
    """Answers when the test has looked."""

    looked = Event()

    def do_POST(self) -> None:
        self.looked.wait(10)
        self.send_response(200)
        self.send_header("Content-Length", "2")
        self.end_headers()
        self.wfile.write(b"{}")

    def log_message(self, *_: object) -> None:
        pass


@pytest.fixture
def port() -> Iterator[int]:
    Slow.looked.clear()
    with HTTPServer(("127.0.0.1", 0), Slow) as server:
        thread = Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            Slow.looked.set()
            server.shutdown()
            thread.join()


def timers(port: int) -> list[tuple[str, float]]:
    """Each connection to this port that has begun: its kind of timer, and when that goes off."""
    lines = [line.split() for line in Path("/proc/net/tcp").read_text().splitlines()[1:]]
    return [
        (kind, int(when, 16) / HZ)
        for _, _, remote, state, _, timer, *_ in lines
        for kind, when in [timer.split(":")]
        if remote.endswith(f":{port:04X}") and state == "01"
    ]


def probed(port: int) -> float:
    """Waits until the request is on its way and acknowledged: then the one timer is of probes."""
    for _ in range(500):
        found = timers(port)
        if found and found[0][0] == KEPT_ALIVE:
            return found[0][1]
        Event().wait(0.01)
    raise AssertionError(f"no probes: {timers(port)}")


@pytest.mark.usefixtures("allowed")
def test_a_slow_http_target_is_probed(port: int) -> None:
    request = Request(
        method="POST", url=f"http://127.0.0.1:{port}/", headers={}, body=b"{}", patience_sec=20
    )
    thread = Thread(target=http_client.send, args=(request,))
    thread.start()

    assert probed(port) <= IDLE_SEC < FORGOTTEN_SEC
    Slow.looked.set()
    thread.join()


def test_a_slow_function_is_probed(port: int, monkeypatch: pytest.MonkeyPatch) -> None:
    with surroundings(monkeypatch):
        monkeypatch.setenv("AWS_ENDPOINT_URL_LAMBDA", f"http://127.0.0.1:{port}")
        aws.patient_client.cache_clear()
        client = aws.patient_client("lambda", 20)
        thread = Thread(target=client.invoke, kwargs={"FunctionName": "slow", "Payload": b"{}"})
        thread.start()

        assert probed(port) <= IDLE_SEC < FORGOTTEN_SEC
        Slow.looked.set()
        thread.join()
    aws.patient_client.cache_clear()


def test_a_socket_that_nobody_has_set_waits_for_hours() -> None:
    """Why this is needed: the switch alone changes nothing within 840 s."""
    with socket.socket() as made:
        made.setsockopt(socket.SOL_SOCKET, socket.SO_KEEPALIVE, 1)

        assert made.getsockopt(socket.IPPROTO_TCP, socket.TCP_KEEPIDLE) > FORGOTTEN_SEC
