"""Makes HTTP calls to targets. It keeps connections, and checks each address when it connects.

The deadline is for the whole exchange, however slowly its bytes come. A cancel ends it sooner.
"""

from __future__ import annotations

import os
import select
import socket
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from concurrent.futures import wait as wait_for
from contextlib import suppress
from functools import cache, partial
from http.client import HTTPConnection, HTTPException
from typing import Any

from onthedot.store import keep_alive
from onthedot.store.aws import BrokenOff, Exchange
from onthedot.targets.attempt_outcome import CLOSED
from onthedot.targets.http import trust
from onthedot.targets.http.addresses import Network, allowed, networks
from onthedot.targets.http.bounded_reply import Reply, beginning
from onthedot.targets.http.connection_pool import Idle
from onthedot.targets.http.web_exchange import (
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
# Seconds: longer than a minute, so that schedules of every minute find their connection again.
# One that the other end has closed meanwhile is noticed, and costs a new connection.
IDLE_MAX_SEC = 100.0
IDLE_MAX = 64
REDIRECTS_MAX = 5
# As many as a worker's calls at once, so that hanging name servers block no other name.
_LOOKUPS_MAX = 256
# Seconds between two checks whether anybody still waits. A look-up cannot be woken.
_LOOKS_SEC = 0.5


class _Forbidden(Exception):  # noqa: N818 it says what it is
    """The address is not allowed for targets."""


def send(request: Request, exchange: Exchange | None = None) -> Response | NoResponse:
    """Makes one exchange, and follows its redirects if asked."""
    exchange = exchange or Exchange()
    deadline = time.monotonic() + request.patience_sec
    asked = request
    try:
        for _ in range(REDIRECTS_MAX + 1):
            seen = _exchanged(asked, deadline, exchange)
            following = onward(asked, seen)
            if following is None:
                return seen
            asked = following
    except _Forbidden as forbidden:
        return NoResponse("forbidden", str(forbidden))
    except BrokenOff:
        return NoResponse("broken_off", CLOSED)
    except TimeoutError:
        return NoResponse("timed_out", f"no answer within {request.patience_sec:.0f} s")
    except (OSError, HTTPException, ValueError) as failure:
        return NoResponse("failed", f"{type(failure).__name__}: {failure}")
    return NoResponse("failed", f"more than {REDIRECTS_MAX} redirects")


def _exchanged(request: Request, deadline: float, exchange: Exchange) -> Response:
    """Makes a request. Only if a kept connection was closed meanwhile does it try a new one."""
    place = place_of(request.url)
    if place is None:
        raise _Forbidden(f"{request.url[:100]} is no http or https address")
    path = path_of(request.url)
    kept = _take(place)
    if kept is not None:
        try:
            return _talk(kept.until(deadline, exchange), request, path)
        except ConnectionError:
            kept.close()
    return _talk(_Connection(*place).until(deadline, exchange), request, path)


def _talk(connection: _Connection, request: Request, path: str) -> Response:
    exchange = connection.exchange
    try:
        with exchange.woken_by(connection.shut):
            connection.request(request.method, path, request.body, dict(request.headers))
            answered = connection.getresponse()
            body = beginning(answered, BODY_MAX + 1)
    except BaseException:
        connection.close()
        raise
    if answered.isclosed() and not answered.will_close and not exchange.broken_off:
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
    """Connects only to allowed addresses. No wait goes beyond the deadline."""

    def __init__(self, scheme: str, host: str, port: int) -> None:
        super().__init__(host, port)
        self.place = (scheme, host, port)
        self.deadline = 0.0
        self.exchange = Exchange()
        # The socket that a thread waits on, from before the connect until after the answer.
        self.at: socket.socket | None = None
        self.response_class = partial(Reply, patience=self.left)  # type: ignore[assignment] # called as the class would be

    def until(self, deadline: float, exchange: Exchange) -> _Connection:
        """Sets the deadline and the exchange for one use."""
        self.deadline, self.exchange = deadline, exchange
        return self

    def shut(self) -> None:
        """Wakes the thread that waits. A TLS shutdown would take its state from that thread."""
        if self.at is not None:
            with suppress(OSError):
                socket.socket.shutdown(self.at, socket.SHUT_RDWR)

    def connect(self) -> None:
        """Connects to the very address that was checked."""
        scheme, host, _ = self.place
        self.sock = _connected(self)
        if scheme == "https":
            self.at = self.sock = _TRUST.wrap_socket(
                self.sock, server_hostname=host, do_handshake_on_connect=False
            )
            self.at.settimeout(self.left())
            self.at.do_handshake()

    def send(self, data: Any) -> None:
        """Sends within the deadline: a slow receiver gets no more time."""
        if self.sock is None:
            self.connect()
        rest = memoryview(data)
        while rest:
            self.sock.settimeout(self.left())
            rest = rest[self.sock.send(rest) :]

    def left(self) -> float:
        """Returns the seconds until the deadline. Raises if it passed or the exchange broke off."""
        self.exchange.go_on()
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise TimeoutError
        return left


def _connected(connection: _Connection) -> socket.socket:
    """Tries the allowed addresses of a name, one after another."""
    _, host, port = connection.place
    found = _looked_up(host, port, connection.left)
    open_ones = [each for each in found if allowed(str(each[4][0]), _networks())]
    if not open_ones:
        # The address is not shown: tenants must not learn what private names resolve to.
        raise _Forbidden(f"{host} is at an address where no target may be")
    refusal = OSError(f"{host} has no address")
    for family, _, _, _, place in open_ones:
        connection.at = made = socket.socket(family, socket.SOCK_STREAM)
        try:
            made.settimeout(min(CONNECT_MAX_SEC, connection.left()))
            made.connect(place)
        except OSError as error:
            made.close()
            refusal = error
        else:
            made.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            keep_alive.keep(made)
            return made
    if isinstance(refusal, TimeoutError) and connection.left():
        refusal = OSError(f"{host} took no connection within {CONNECT_MAX_SEC:.0f} s")
    raise refusal


def _looked_up(host: str, port: int, left: Callable[[], float]) -> Any:
    """Looks a name up. The resolver has no deadline: after ours, its thread goes on alone."""
    asked = _resolver().submit(socket.getaddrinfo, host, port, type=socket.SOCK_STREAM)
    try:
        while not asked.done():
            wait_for([asked], min(_LOOKS_SEC, left()))
        return asked.result()
    finally:
        asked.cancel()


# Made at import: threads that begin together would each make one.
_TRUST = trust.made()
_idle: Idle[_Connection] = Idle(IDLE_MAX, IDLE_MAX_SEC)


def _take(place: Place) -> _Connection | None:
    """Returns a kept connection that is quiet. One with something to read was closed."""
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
def _networks() -> tuple[Network, ...]:
    """Returns private networks that the operator opens to targets. The default is none."""
    return networks(os.environ.get("TARGET_NETWORKS", ""))
