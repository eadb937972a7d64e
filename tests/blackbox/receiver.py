"""A receiver on this machine: each hook of it answers as its scenario says, and keeps its calls."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from itertools import count
from threading import Event, Thread
from typing import Any


@dataclass(frozen=True, slots=True)
class Call:
    """One request, and when it came."""

    at: float
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def run_id(self) -> str:
        return self.headers["webhook-id"]

    @property
    def attempt(self) -> int:
        return int(self.headers["onthedot-attempt"].partition("/")[0])


@dataclass(frozen=True, slots=True)
class Reply:
    """What a call is answered: after so many seconds, or as soon as something is set."""

    status: int = 200
    body: bytes = b'{"done":true}'
    headers: dict[str, str] = field(default_factory=dict)
    after_sec: float = 0
    once: Event | None = None


Answer = Callable[[Call, int], Reply]


@dataclass(slots=True)
class Hook:
    """An address of one scenario's own."""

    url: str
    answer: Answer
    calls: list[Call] = field(default_factory=list)

    @property
    def target(self) -> dict[str, Any]:
        return {"type": "http", "url": self.url}


@dataclass(slots=True)
class Receiver:
    """Where it listens, and its hooks by the first part of their path."""

    url: str
    hooks: dict[str, Hook] = field(default_factory=dict)
    closing: Event = field(default_factory=Event)
    _numbers: Iterator[int] = field(default_factory=count)

    def hook(self, *replies: Reply, answer: Answer | None = None) -> Hook:
        """Opens a hook that gives these replies in turn, the last one again and again."""
        given = replies or (Reply(),)
        name = f"hook-{next(self._numbers)}"
        in_turn = answer or (lambda _call, number: given[min(number, len(given)) - 1])
        self.hooks[name] = Hook(f"{self.url}/{name}", in_turn)
        return self.hooks[name]


@contextmanager
def receiving() -> Iterator[Receiver]:
    """Serves until the scenarios are over."""

    class Bound(_Asked):
        pass

    server = _Server(("127.0.0.1", 0), Bound)
    receiver = Receiver(f"http://127.0.0.1:{server.server_address[1]}")
    Bound.receiver = receiver
    thread = Thread(target=server.serve_forever, args=(0.05,), daemon=True)
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


class _Asked(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    receiver: Receiver

    def log_message(self, *_: object) -> None:
        """Says nothing."""

    def do_POST(self) -> None:
        at = time.time()
        length = int(self.headers.get("content-length", 0))
        headers = {name.lower(): value for name, value in self.headers.items()}
        call = Call(at, self.command, self.path, headers, self.rfile.read(length))
        hook = self.receiver.hooks[self.path.lstrip("/").partition("/")[0].partition("?")[0]]
        hook.calls.append(call)
        reply = hook.answer(call, len(hook.calls))
        self.receiver.closing.wait(reply.after_sec)
        while reply.once and not (reply.once.wait(0.2) or self.receiver.closing.is_set()):
            continue
        # The other side may have given up before.
        with suppress(OSError):
            self.send_response(reply.status)
            for name, value in reply.headers.items():
                self.send_header(name, value)
            self.send_header("content-length", str(len(reply.body)))
            self.end_headers()
            self.wfile.write(reply.body)

    do_GET = do_PUT = do_PATCH = do_DELETE = do_POST  # noqa: N815 the library's names
