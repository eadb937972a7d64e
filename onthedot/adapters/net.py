"""HTTP to targets: connections are kept, addresses are checked where they are connected to.

A deadline holds for the whole exchange, however slowly its bytes come.
"""

from __future__ import annotations

import os
import select
import socket
import ssl
import time
from concurrent.futures import ThreadPoolExecutor
from functools import cache, partial
from http.client import HTTPConnection, HTTPException
from typing import Any

from onthedot.core.addresses import Network, allowed, networks
from onthedot.core.idle import Idle
from onthedot.core.reply import Reply, beginning
from onthedot.core.web import (
    BODY_MAX,
    NoResponse,
    Place,
    Request,
    Response,
    onward,
    path_of,
    place_of,
)

CONNECT_MAX_SEC = 10.0
# Balancers close what is idle for a minute, and a frozen Lambda does not notice.
IDLE_MAX_SEC = 30.0
IDLE_MAX = 64
REDIRECTS_MAX = 5
# As many as a worker calls targets at once: one name whose servers hang holds up no other.
_LOOKUPS_MAX = 256


class _Forbidden(Exception):  # noqa: N818 it says what it is
    """The address is not one that targets may be at."""


def send(request: Request) -> Response | NoResponse:
    """Make one exchange, with its redirects if they are to be followed."""
    deadline = time.monotonic() + request.patience_sec
    asked = request
    try:
        for _ in range(REDIRECTS_MAX + 1):
            seen = _exchange(asked, deadline)
            following = onward(asked, seen)
            if following is None:
                return seen
            asked = following
    except _Forbidden as forbidden:
        return NoResponse("forbidden", str(forbidden))
    except TimeoutError:
        return NoResponse("timed_out", f"no answer within {request.patience_sec:.0f} s")
    except (OSError, HTTPException, ValueError) as failure:
        return NoResponse("failed", f"{type(failure).__name__}: {failure}")
    return NoResponse("failed", f"more than {REDIRECTS_MAX} redirects")


def _exchange(request: Request, deadline: float) -> Response:
    """A kept connection may have been closed meanwhile: only then is a fresh one tried."""
    place = place_of(request.url)
    if place is None:
        raise _Forbidden(f"{request.url[:100]} is no http or https address")
    path = path_of(request.url)
    kept = _take(place)
    if kept is not None:
        try:
            return _talk(kept, request, path, deadline)
        except ConnectionError:
            kept.close()
    return _talk(_Connection(*place), request, path, deadline)


def _talk(connection: _Connection, request: Request, path: str, deadline: float) -> Response:
    connection.deadline = deadline
    try:
        connection.request(request.method, path, request.body, dict(request.headers))
        answered = connection.getresponse()
        body = beginning(answered, BODY_MAX + 1)
    except BaseException:
        connection.close()
        raise
    if answered.isclosed() and not answered.will_close:
        _idle.keep(connection.place, connection, time.time())
    else:
        connection.close()
    return Response(
        status=answered.status,
        headers={name.lower(): value for name, value in answered.getheaders()},
        body=body[:BODY_MAX],
        cut=len(body) > BODY_MAX,
    )


class _Connection(HTTPConnection):
    """Connects only where it may, and lets no wait go beyond the deadline."""

    def __init__(self, scheme: str, host: str, port: int) -> None:
        super().__init__(host, port)
        self.place = (scheme, host, port)
        self.deadline = 0.0
        self.response_class = partial(Reply, patience=self.left)  # type: ignore[assignment] # called as the class would be

    def connect(self) -> None:
        """The address that was checked is the address that is connected to."""
        scheme, host, port = self.place
        self.sock = _connected(host, port, self.deadline)
        if scheme == "https":
            self.sock.settimeout(self.left())
            self.sock = _trust().wrap_socket(self.sock, server_hostname=host)

    def send(self, data: Any) -> None:
        """A receiver that is slow to read what it is sent has no more time than any."""
        if self.sock is None:
            self.connect()
        rest = memoryview(data)
        while rest:
            self.sock.settimeout(self.left())
            rest = rest[self.sock.send(rest) :]

    def left(self) -> float:
        """Seconds until the deadline; past it there is no more waiting."""
        return _left(self.deadline)


def _connected(host: str, port: int, deadline: float) -> socket.socket:
    """Try the addresses of a name one after another; those that are not allowed do not count."""
    found = _looked_up(host, port, deadline)
    open_ones = [each for each in found if allowed(str(each[4][0]), _networks())]
    if not open_ones:
        # Not where it is: what private names resolve to is nothing for tenants.
        raise _Forbidden(f"{host} is at an address where no target may be")
    refusal = OSError(f"{host} has no address")
    for family, _, _, _, place in open_ones:
        made = socket.socket(family, socket.SOCK_STREAM)
        try:
            made.settimeout(min(CONNECT_MAX_SEC, _left(deadline)))
            made.connect(place)
        except OSError as error:
            made.close()
            refusal = error
        else:
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            return made
    if isinstance(refusal, TimeoutError) and _left(deadline):
        refusal = OSError(f"{host} took no connection within {CONNECT_MAX_SEC:.0f} s")
    raise refusal


def _looked_up(host: str, port: int, deadline: float) -> Any:
    """The system's resolver knows no deadline: past ours it is left to itself, with its thread."""
    asked = _resolver().submit(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    try:
        return asked.result(_left(deadline))
    finally:
        asked.cancel()


def _left(deadline: float) -> float:
    left = deadline - time.monotonic()
    if left <= 0:
        raise TimeoutError
    return left


_idle: Idle[_Connection] = Idle(IDLE_MAX, IDLE_MAX_SEC)


def _take(place: Place) -> _Connection | None:
    """A kept connection that is still quiet: one with something to read was closed."""
    while connection := _idle.take(place, time.time()):
        watch = select.poll()
        watch.register(connection.sock, select.POLLIN)
        if not watch.poll(0):
            return connection
        connection.close()
    return None


@cache
def _resolver() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(_LOOKUPS_MAX, thread_name_prefix="look-up")


@cache
def _trust() -> ssl.SSLContext:
    return ssl.create_default_context()


@cache
def _networks() -> tuple[Network, ...]:
    """Private networks that the operator opens to targets; none unless they are named."""
    return networks(os.environ.get("TARGET_NETWORKS", ""))
