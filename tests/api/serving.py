"""The API on a port of this machine, which may go away and come back.

Lambda gives each request an environment to itself: here they take turns, but for their waiting.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from socketserver import ThreadingMixIn
from threading import Event, Lock, Thread
from typing import Any
from wsgiref.simple_server import WSGIRequestHandler, WSGIServer, make_server

from tests.api.web import Start, application

in_turn = Lock()
# When each request that waits for a run began a pause.
pauses: list[float] = []
_closing = Event()


def sleep(seconds: float) -> None:
    """Waits as a request does, and lets others have their turn; none outlives the API."""
    pauses.append(time.monotonic())
    in_turn.release()
    closed = _closing.wait(seconds)
    in_turn.acquire()
    if closed:
        raise ConnectionAbortedError("the API goes away")


def _one_by_one(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
    with in_turn:
        return application(environ, start)


class _Server(ThreadingMixIn, WSGIServer):
    # Closing waits for the requests under way: in the next test they would take its runs.
    daemon_threads = False
    allow_reuse_address = True


class _Quiet(WSGIRequestHandler):
    def log_message(self, *_: object) -> None:
        """Says nothing."""


@contextmanager
def served(port: int = 0) -> Iterator[int]:
    """Serves until the test is over, or wants the API gone; gives the port."""
    server = make_server("127.0.0.1", port, _one_by_one, _Server, _Quiet)
    thread = Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    _closing.clear()
    thread.start()
    try:
        yield server.server_port
    finally:
        _closing.set()
        server.shutdown()
        server.server_close()
        thread.join()
