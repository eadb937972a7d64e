"""The front door against a server that says what reached it."""

from __future__ import annotations

import json
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.client import HTTPConnection
from http.server import BaseHTTPRequestHandler, HTTPServer
from typing import Any

import pytest

from onthedot.local.front import FrontDoor, Upstream, front_door
from onthedot.local.ports import StartError

HOST = "0a0b0c0d.execute-api.localhost"
LARGE = "x" * 300_000


class Echo(BaseHTTPRequestHandler):
    """Answers with what it was asked."""

    protocol_version = "HTTP/1.1"

    def do_POST(self) -> None:
        body = self.rfile.read(int(self.headers["content-length"]))
        seen = {"path": self.path, "host": self.headers["host"], "body": body.decode()}
        answer = json.dumps(seen).encode()
        self.send_response(201)
        self.send_header("content-length", str(len(answer)))
        self.end_headers()
        self.wfile.write(answer)

    def log_message(self, format: str, *args: object) -> None:  # noqa: A002 the base class's name
        """Says nothing."""


@contextmanager
def echo() -> Iterator[int]:
    with HTTPServer(("127.0.0.1", 0), Echo) as server:
        thread = threading.Thread(target=server.serve_forever)
        thread.start()
        try:
            yield server.server_port
        finally:
            server.shutdown()
            thread.join()


@pytest.fixture
def door() -> Iterator[FrontDoor]:
    with front_door(0) as made:
        yield made


def asked(door: FrontDoor, body: str = "") -> tuple[int, dict[str, str], Any]:
    connection = HTTPConnection("127.0.0.1", door.port, timeout=5)
    connection.request("POST", "/v1/schedules?dry_run=true", body)
    answer = connection.getresponse()
    content = json.loads(answer.read())
    connection.close()
    return answer.status, {name.lower(): value for name, value in answer.getheaders()}, content


def test_a_request_reaches_the_api_under_the_host_that_the_emulator_knows(door: FrontDoor) -> None:
    with echo() as port:
        door.upstream = Upstream(port, HOST)

        status, _, seen = asked(door, LARGE)

    assert status == 201
    assert seen == {"path": "/v1/schedules?dry_run=true", "host": HOST, "body": LARGE}


def test_while_the_stack_is_down_the_door_says_when_to_come_back(door: FrontDoor) -> None:
    status, headers, problem = asked(door)

    assert (status, problem["code"]) == (503, "unavailable")
    assert headers["retry-after"] == "2"
    assert headers["content-type"] == "application/problem+json"


def test_a_stack_that_died_unnoticed_is_down_too(door: FrontDoor) -> None:
    with echo() as port:
        pass
    door.upstream = Upstream(port, HOST)

    status, _, problem = asked(door)

    assert (status, problem["detail"]) == (503, "The stack is down. Try again in 2 s.")


def accept_and_close(listener: socket.socket) -> None:
    listener.accept()[0].close()


def test_a_request_cut_off_without_an_answer_gets_one_from_the_door(door: FrontDoor) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        door.upstream = Upstream(listener.getsockname()[1], HOST)
        dying = threading.Thread(target=accept_and_close, args=(listener,))
        dying.start()

        status, _, problem = asked(door)
        dying.join()

    assert status == 503
    assert problem["detail"].startswith("The stack ended before it answered.")


def test_a_second_request_on_a_connection_does_not_slip_past_the_first(door: FrontDoor) -> None:
    """It could name another Host, and so reach the emulated cloud itself."""
    request = b"POST /%d HTTP/1.1\r\nHost: s3.localhost\r\nContent-Length: 0\r\n\r\n"
    with echo() as port, socket.create_connection(("127.0.0.1", door.port), timeout=5) as client:
        door.upstream = Upstream(port, HOST)
        client.sendall(request % 1 + request % 2)
        with client.makefile("rb") as answer:
            answered = answer.read()

    assert answered.count(b"HTTP/1.1 201") == 1
    assert b"/2" not in answered


def test_what_is_no_http_is_dropped_and_the_door_stays_open(door: FrontDoor) -> None:
    with socket.create_connection(("127.0.0.1", door.port), timeout=5) as client:
        client.sendall(b"\0" * 70_000)
        assert client.recv(1) == b""

    assert asked(door)[0] == 503


def test_who_asks_for_a_port_that_is_taken_is_told_how_to_choose_another(door: FrontDoor) -> None:
    said = f"Port {door.port} is taken: choose another, as in make run PORT={door.port + 1}"

    with pytest.raises(StartError, match=said), front_door(door.port):
        pass
