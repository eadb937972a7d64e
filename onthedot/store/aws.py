"""Makes all clients, and knows the names of our tables, queues and functions in the cloud."""

from __future__ import annotations

import json
import os
import socket
from base64 import b64encode
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from email.utils import parsedate_to_datetime
from functools import cache, lru_cache, partial
from typing import Any, TypeVar

from botocore.awsrequest import (
    AWSHTTPConnection,
    AWSHTTPConnectionPool,
    AWSHTTPSConnection,
    AWSHTTPSConnectionPool,
)
from botocore.config import Config
from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError
from botocore.exceptions import ConnectionError as Unreachable
from botocore.session import get_session

from onthedot.records.access.tenant_reach import Home
from onthedot.records.own_resources import Ours, ours
from onthedot.store import clock, keep_alive
from onthedot.store.call_allowance import Allowance
from onthedot.store.clock import Skew


class BrokenOff(Exception):  # noqa: N818 it says what has happened
    """Nobody waits for the answer any more."""


class Exchange:
    """Safe between threads: a wake function is popped, and only one thread can pop it."""

    def __init__(self) -> None:
        self.broken_off = False
        self._waits: deque[Callable[[], None]] = deque()

    def break_off(self) -> None:
        """Wakes the waiting thread, and ends its wait."""
        self.broken_off = True
        with suppress(IndexError):
            self._waits.pop()()

    def go_on(self) -> None:
        """Raises if the exchange was broken off. Called before each wait."""
        if self.broken_off:
            raise BrokenOff

    @contextmanager
    def woken_by(self, wake: Callable[[], None]) -> Iterator[None]:
        """Waits inside. An error that comes from being woken becomes `BrokenOff`.

        An answer that came all the same is returned, but its connection may be shut: see
        `broken_off`.
        """
        self._waits.append(wake)
        try:
            self.go_on()
            yield
        except Exception as failure:
            if self.broken_off:
                raise BrokenOff from failure
            raise
        finally:
            with suppress(IndexError):
                self._waits.pop()


_CONFIG = Config(
    parameter_validation=False,
    user_agent="onthedot/1",
    retries={"mode": "standard", "max_attempts": 3},
    connect_timeout=2,
    read_timeout=5,
    max_pool_connections=16,
)
_OK = 300
# What a call may raise. Some of these errors pass, and another try can help.
FAILURES = (BotoCoreError, ClientError)
_UNREACHABLE = (Unreachable, HTTPClientError)
_BUSY = frozenset(
    {
        "InternalError",
        "InternalFailure",
        "InternalServerError",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestThrottled",
        "ServiceUnavailable",
        "ThrottlingException",
    }
)
_Given = TypeVar("_Given")
_Got = TypeVar("_Got")
_watch: ContextVar[Watch | None] = ContextVar("watch", default=None)
_allowed: ContextVar[Allowance | None] = ContextVar("allowed", default=None)
_exchange: ContextVar[Exchange | None] = ContextVar("exchange", default=None)
QUEUES = ("high", "normal", "low", "dead")


@cache
def _session() -> Any:
    return get_session()


@cache
def client(service: str) -> Any:
    """Returns the client of a service. Region, keys and endpoints come from the environment."""
    made = _session().create_client(service, config=_CONFIG)
    events = made.meta.events
    if service in ("dynamodb", "sqs"):
        events.register(f"before-parse.{service}.*", _parse_fast)
    if service == "dynamodb":
        events.register("provide-client-params.dynamodb.BatchExecuteStatement", _set_aside)
        events.register("before-call.dynamodb.BatchExecuteStatement", _write_fast)
    return made


def prepare(*services: str) -> None:
    """Makes the clients of a function while it is imported: there Lambda gives a whole processor.

    Elsewhere the first call makes them, in the region that is known by then.
    """
    if "AWS_LAMBDA_FUNCTION_NAME" in os.environ:
        for service in services:
            client(service)


@lru_cache(32)
def patient_client(service: str, seconds: int) -> Any:
    """Returns a client that waits up to `seconds` for an answer and does not try again."""
    patience = Config(
        parameter_validation=False,
        user_agent="onthedot/1",
        retries={"total_max_attempts": 1},
        connect_timeout=2,
        read_timeout=seconds,
    )
    made = _session().create_client(service, config=patience)
    # The client's pools make the connections that `waiting_in` can wake. There is no public way.
    made._endpoint.http_session._pool_classes_by_scheme.update(_POOLS)  # noqa: SLF001
    return made


@contextmanager
def waiting_in(exchange: Exchange) -> Iterator[None]:
    """Ends the calls of a patient client as soon as the exchange is broken off."""
    before = _exchange.set(exchange)
    try:
        yield
    finally:
        _exchange.reset(before)


class _Woken:
    """A connection on which a thread waits for an answer, until its exchange is broken off."""

    def _new_conn(self) -> Any:
        made = super()._new_conn()  # type: ignore[misc] # the connection's own
        keep_alive.keep(made)
        return made

    def getresponse(self) -> Any:
        exchange, sock = _exchange.get(), self.sock  # type: ignore[attr-defined] # the connection's
        if exchange is None:
            return super().getresponse()  # type: ignore[misc] # the connection's own
        with exchange.woken_by(partial(_shut, sock)):
            return super().getresponse()  # type: ignore[misc] # the connection's own


def _shut(sock: socket.socket) -> None:
    """Uses the plain socket's method: that of TLS would take its state from the waiting thread."""
    with suppress(OSError):
        socket.socket.shutdown(sock, socket.SHUT_RDWR)


class _Plain(_Woken, AWSHTTPConnection):  # type: ignore[misc] # a library without types
    pass


class _Secured(_Woken, AWSHTTPSConnection):  # type: ignore[misc] # a library without types
    pass


class _PlainPool(AWSHTTPConnectionPool):  # type: ignore[misc] # a library without types
    ConnectionCls = _Plain


class _SecuredPool(AWSHTTPSConnectionPool):  # type: ignore[misc] # a library without types
    ConnectionCls = _Secured


_POOLS = {"http": _PlainPool, "https": _SecuredPool}


def passes(failure: BaseException) -> bool:
    """Tells whether the service was busy or out of reach. The call may have been done or not."""
    if isinstance(failure, ClientError):
        return failure.response["Error"]["Code"] in _BUSY
    return isinstance(failure, _UNREACHABLE)


def dynamodb(operation: str, **request: Any) -> Any:
    """Calls DynamoDB. Every answer also tells the time there."""
    if allowed := _allowed.get():
        allowed.call()
    sent_ms = clock.local_ms()
    answer = getattr(client("dynamodb"), operation)(**request)
    if watch := _watch.get():
        date = answer.get("ResponseMetadata", {}).get("HTTPHeaders", {}).get("date")
        watch.skew = (
            watch.skew.seen(_second(date), sent_ms, clock.local_ms()) if date else watch.skew
        )
    return answer


@contextmanager
def allowing(most: int) -> Iterator[None]:
    """Allows the calls inside at most `most` requests to the store."""
    before = _allowed.set(Allowance(most))
    try:
        yield
    finally:
        _allowed.reset(before)


@dataclass(slots=True)
class Watch:
    """What the answers of one invocation tell about this machine's clock."""

    skew: Skew = field(default_factory=Skew)


def watching() -> Watch:
    """Watches the answers from now on."""
    watch = Watch()
    _watch.set(watch)
    return watch


@lru_cache(16)
def _second(date: str) -> int:
    return int(parsedate_to_datetime(date).timestamp())


def _parse_fast(
    response_dict: dict[str, Any], customized_response_dict: dict[str, Any], **_: object
) -> None:
    """Reads a successful answer as plain JSON: botocore's own parser costs as much as the call."""
    if response_dict["status_code"] < _OK and response_dict["body"]:
        customized_response_dict.update(json.loads(response_dict["body"]))
        response_dict["body"] = b"{}"


def _set_aside(params: dict[str, Any], context: dict[str, Any], **_: object) -> dict[str, Any]:
    """Takes the statements from botocore's serializer, which looks up each attribute's shape."""
    context["statements"] = params["Statements"]
    return params | {"Statements": []}


def _write_fast(params: dict[str, Any], context: dict[str, Any], **_: object) -> None:
    """Writes the statements as plain JSON before the request is signed."""
    body = json.loads(params["body"]) | {"Statements": context["statements"]}
    params["body"] = json.dumps(body, separators=(",", ":"), default=_base64).encode()


def _base64(binary: bytes) -> str:
    return b64encode(binary).decode()


def table(name: str) -> str:
    """Returns a table's physical name. A missing variable raises an error with its name."""
    return os.environ[f"{name.upper()}_TABLE"]


def queue_url(queue: str) -> str:
    """Returns a queue's address: high, normal, low or dead."""
    return os.environ[f"{queue.upper()}_QUEUE_URL"]


def home() -> Home:
    """Returns our account and region. The account is in the addresses of our own queues."""
    region = os.environ.get("AWS_REGION") or os.environ.get("AWS_DEFAULT_REGION", "")
    return Home(region, queue_url("normal").split("/")[-2])


def queue_of_arn(arn: str) -> str:
    """Tells which of our queues an event came from."""
    name = arn.rsplit(":", 1)[-1]
    return next(queue for queue in QUEUES if queue_url(queue).rsplit("/", 1)[-1] == name)


def in_parallel(call: Callable[[_Given], _Got], items: Iterable[_Given]) -> list[_Got]:
    """Makes several calls at once, and returns the results in the order of the items.

    The number is a setting: AWS answers many at a time, a local database one.
    """
    if width() == 1:
        return [call(item) for item in items]
    watch, allowed = _watch.get(), _allowed.get()

    def watched(item: _Given) -> _Got:
        _watch.set(watch)
        _allowed.set(allowed)
        return call(item)

    return list(_pool().map(watched, items))


@cache
def width() -> int:
    """Returns how many calls may be made at once."""
    return int(os.environ["PARALLEL_CALLS"])


@cache
def _pool() -> ThreadPoolExecutor:
    return ThreadPoolExecutor(width(), thread_name_prefix="call")


def known() -> Ours:
    """Returns the names of the queues, of this function and of the stack."""
    queues = [queue_url(queue).rstrip("/").rsplit("/", 1)[-1] for queue in QUEUES]
    this = os.environ.get("AWS_LAMBDA_FUNCTION_NAME")
    return ours([*queues, *([this] if this else [])], os.environ.get("POWERTOOLS_SERVICE_NAME", ""))
