"""Keeps a steady address: it passes each request to the stack's API, or says that it is down.

The emulator tells APIs apart by their Host, and gives each deployment another one.
"""

from __future__ import annotations

import asyncio
import errno
import json
import re
import socket
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from onthedot.local.ports import StartError

_HEAD_BYTES_MAX = 65_536
_PIECE_BYTES = 65_536
_REPLACED = re.compile(rb"(?im)^(?:host|connection):.*\r\n")
_RETRY_AFTER_SEC = 2


@dataclass(frozen=True, slots=True)
class Upstream:
    """The present address of the API."""

    port: int
    host: str


class FrontDoor:
    """One server on loopback, in a thread of its own."""

    def __init__(self, listener: socket.socket) -> None:
        self._listener = listener
        self._open = threading.Event()
        # If its caller leaves, the loop forgets a task that has not ended. So the tasks are kept
        # here.
        self._meetings: set[asyncio.Task[None] | None] = set()
        self._loop: asyncio.AbstractEventLoop
        self._stopping: asyncio.Event
        self.port: int = listener.getsockname()[1]
        # None while the stack is down.
        self.upstream: Upstream | None = None

    @property
    def url(self) -> str:
        """Returns the address that users know."""
        return f"http://127.0.0.1:{self.port}"

    def run(self) -> None:
        """Serves until it is stopped. Then open connections are cut."""
        asyncio.run(self._serve())

    def stop(self) -> None:
        """Stops serving, from another thread."""
        self._open.wait()
        self._loop.call_soon_threadsafe(self._stopping.set)

    async def _serve(self) -> None:
        self._loop, self._stopping = asyncio.get_running_loop(), asyncio.Event()
        server = await asyncio.start_server(self._meet, sock=self._listener, limit=_HEAD_BYTES_MAX)
        self._open.set()
        await self._stopping.wait()
        server.close()

    async def _meet(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        meeting = asyncio.current_task()
        self._meetings.add(meeting)
        try:
            await self._answer(reader, writer)
        except (ConnectionError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            # The caller left, or sent no HTTP: nobody can be answered.
            return
        finally:
            self._meetings.discard(meeting)
            writer.close()

    async def _answer(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        head = await reader.readuntil(b"\r\n\r\n")
        upstream = self.upstream
        if upstream is None:
            writer.write(_unavailable("The stack is starting."))
            await writer.drain()
            return
        try:
            up_reader, up_writer = await asyncio.open_connection("127.0.0.1", upstream.port)
        except OSError:
            writer.write(_unavailable("The stack is down."))
            await writer.drain()
            return
        up_writer.write(_readdressed(head, upstream.host))
        sending = asyncio.create_task(_pass_on(reader, up_writer))
        try:
            if not await _pass_on(up_reader, writer):
                writer.write(_unavailable("The stack ended before it answered."))
                await writer.drain()
        finally:
            # Closed before any await, because the door may be stopped just then.
            up_writer.close()
            sending.cancel()
            await asyncio.gather(sending, return_exceptions=True)


@contextmanager
def front_door(port: int) -> Iterator[FrontDoor]:
    """Opens the door at a port. 0 means any free port."""
    with _listener(port) as listener:
        door = FrontDoor(listener)
        thread = threading.Thread(target=door.run, name="front-door", daemon=True)
        thread.start()
        try:
            yield door
        finally:
            door.stop()
            thread.join()


def _listener(port: int) -> socket.socket:
    try:
        return socket.create_server(("127.0.0.1", port))
    except OSError as error:
        if error.errno != errno.EADDRINUSE:
            raise
        message = f"Port {port} is taken: choose another, as in make run PORT={port + 1}."
        raise StartError(message) from None


def _readdressed(head: bytes, host: str) -> bytes:
    """Allows one request for each connection: a second one must not reach the emulator."""
    line, _, headers = head.partition(b"\r\n")
    kept = _REPLACED.sub(b"", headers)
    return b"%s\r\nHost: %s\r\nConnection: close\r\n%s" % (line, host.encode(), kept)


async def _pass_on(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> bool:
    passed = False
    while piece := await _piece(reader):
        passed = True
        writer.write(piece)
        await writer.drain()
    return passed


async def _piece(reader: asyncio.StreamReader) -> bytes:
    try:
        return await reader.read(_PIECE_BYTES)
    except ConnectionResetError:
        # A process that was killed has sent all it had to send.
        return b""


def _unavailable(detail: str) -> bytes:
    problem = {
        "type": "/problems/unavailable",
        "title": "The service is unavailable",
        "status": 503,
        "code": "unavailable",
        "detail": f"{detail} Try again in {_RETRY_AFTER_SEC} s.",
    }
    body = json.dumps(problem).encode()
    return (
        b"HTTP/1.1 503 Service Unavailable\r\n"
        b"Content-Type: application/problem+json\r\n"
        b"Retry-After: %d\r\nContent-Length: %d\r\nConnection: close\r\n\r\n%s"
        % (_RETRY_AFTER_SEC, len(body), body)
    )
