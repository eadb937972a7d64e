"""A real receiver on this machine: its path says how it misbehaves, and it keeps what it got."""

from __future__ import annotations

import io
import json
import socket
import struct
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Thread
from typing import Any
from urllib.parse import parse_qs, urlsplit

BIG = 10_000_000
DRIP_SEC = 0.05
CHUNKED = b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n"
# Answers that never end, each within what a library takes for one line and for one head.
BEGUN = {
    "interim": b"",
    "chunks": CHUNKED,
    "trailers": CHUNKED + b"1\r\nx\r\n0\r\n",
}
GOES_ON = {
    "interim": b"HTTP/1.1 102 Processing\r\n\r\n",
    "chunks": b"1;" + b"x" * 1_000 + b"\r\ny\r\n",
    "trailers": b"x-more: yes\r\n",
}


@dataclass(frozen=True, slots=True)
class Got:
    """One request as it came."""

    method: str
    path: str
    headers: dict[str, str]
    body: bytes
    # The sender's port: the same for all that came by one connection.
    port: int


@dataclass(slots=True)
class Receiver:
    """Where it listens, and what came."""

    url: str
    got: list[Got] = field(default_factory=list)
    # What is to be answered under /answer, in order; the last one again and again.
    answers: list[tuple[int, dict[str, str], bytes]] = field(default_factory=list)
    # What is to be answered under /wire, byte for byte; the connection stays open after it.
    wire: bytes = b""
    closing: Event = field(default_factory=Event)
    connections: list[socket.socket] = field(default_factory=list)

    def hang_up(self) -> None:
        """Closes every connection that stands idle."""
        for each in self.connections:
            with suppress(OSError):
                each.shutdown(socket.SHUT_RDWR)


@contextmanager
def receiving(host: str = "127.0.0.1") -> Iterator[Receiver]:
    """Serves until the test is over."""

    class Bound(_Asked):
        pass

    server = _Server((host, 0), Bound)
    shown = f"[{host}]" if ":" in host else host
    receiver = Receiver(f"http://{shown}:{server.server_address[1]}")
    Bound.receiver = receiver
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield receiver
    finally:
        receiver.closing.set()
        server.shutdown()
        server.server_close()
        thread.join()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    block_on_close = False
    request_queue_size = 128

    def __init__(self, address: tuple[str, int], asked: type[BaseHTTPRequestHandler]) -> None:
        self.address_family = socket.AF_INET6 if ":" in address[0] else socket.AF_INET
        super().__init__(address, asked)


class _Asked(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    receiver: Receiver

    def setup(self) -> None:
        super().setup()
        self.receiver.connections.append(self.connection)

    def log_message(self, *_: object) -> None:
        """Says nothing."""

    def do_POST(self) -> None:
        length = int(self.headers.get("content-length", 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        body = self.rfile.read(length)
        port = self.client_address[1]
        self.receiver.got.append(Got(self.command, self.path, headers, body, port))
        split = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(split.query).items()}
        # The other side may give up before we do.
        with suppress(OSError):
            name = "_" + split.path.strip("/").partition("/")[0].replace("-", "_")
            # AWS's own paths are answered as was asked for.
            getattr(self, name, self._answer)(**query)

    do_GET = do_PUT = do_PATCH = do_DELETE = do_POST  # noqa: N815 the library's names

    def _say(self, status: int, body: bytes = b"", **headers: str) -> None:
        self.send_response(status)
        for name, value in headers.items():
            self.send_header(name.replace("_", "-"), value)
        self.send_header("content-length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def _ok(self) -> None:
        self._say(200, b'{"done":true}')

    def _echo(self, code: str = "200") -> None:
        """Answers with the request, as services for trying things out do."""
        self._say(int(code), json.dumps(dict(self.headers.items())).encode())

    def _status(self, code: str) -> None:
        self._say(int(code), b"as asked")

    def _answer(self, **_: str) -> None:
        answers = self.receiver.answers
        status, headers, body = answers.pop(0) if len(answers) > 1 else answers[0]
        self._say(status, body, **headers)

    def _redirect(self, to: str, code: str = "302") -> None:
        self._say(int(code), location=to)

    def _hang(self) -> None:
        self.receiver.closing.wait(30)
        self.close_connection = True

    def _reset(self) -> None:
        option = struct.pack("ii", 1, 0)
        self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, option)
        self.connection.close()
        self.wfile = io.BytesIO()
        self.close_connection = True

    def _hang_up(self) -> None:
        self.close_connection = True

    def _drip_head(self) -> None:
        self._drip(b"HTTP/1.1 200 OK\r\n" + b"x-slow: yes\r\n" * 1000)

    def _drip_body(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 1000\r\n\r\n")
        self._drip(b"." * 1000)

    def _drip(self, text: bytes) -> None:
        for byte in text:
            if self.receiver.closing.is_set():
                break
            self.wfile.write(bytes([byte]))
            time.sleep(DRIP_SEC)
        self.close_connection = True

    def _big(self) -> None:
        self._say(200, b"x" * BIG)

    def _chunked(self) -> None:
        self.wfile.write(b"HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n")
        self.wfile.write(b"3\r\nabc\r\n3\r\ndef\r\n0\r\n\r\n")

    def _wire(self, close: str = "") -> None:
        self.wfile.write(self.receiver.wire)
        self.close_connection = bool(close)

    def _interim(self, code: str = "103") -> None:
        """Says first that an answer will come, and later what it is."""
        self.wfile.write(f"HTTP/1.1 {code} Early Hints\r\nlink: </a.css>\r\n\r\n".encode())
        time.sleep(DRIP_SEC)
        self._ok()

    def _endless(self, text: str) -> None:
        """Begins an answer, and goes on with it for as long as anybody reads."""
        self.wfile.write(BEGUN[text])
        while not self.receiver.closing.is_set():
            self.wfile.write(GOES_ON[text] * 1_000)

    def _short(self) -> None:
        """Announces more than comes."""
        self.wfile.write(b"HTTP/1.1 200 OK\r\ncontent-length: 10\r\n\r\nabc")
        self.close_connection = True

    def _close_after(self) -> None:
        """Answers as if the connection stayed, and closes it."""
        self._ok()
        self.close_connection = True

    def _nonsense(self) -> None:
        self.wfile.write(b"this is no HTTP\r\n\r\n")
        self.close_connection = True


def call_fields(**given: Any) -> dict[str, Any]:  # noqa: ANN401 any field
    """Returns the fields of a call of the noon run, by a schedule of acme's."""
    return {
        "run_id": "sch_A.20261118T120000Z",
        "task_id": "sch_A",
        "tenant_id": "acme",
        "name": "nightly",
        "origin": "schedule",
        "attempt": 2,
        "max_attempts": 5,
        "scheduled_for": "2026-11-18T12:00:00Z",
        "due_ms": 1_795_003_200_000,
        "deadline_ms": 1_795_003_500_000,
        "target": {},
        "payload": {"order": 77},
        "checkpoint": None,
        "cancelled": lambda: False,
        "lease_lost": lambda: False,
        "report": lambda _progress: None,
    } | given
