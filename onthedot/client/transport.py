"""Sends requests to the API: one kept connection for each thread, with safe retries.

A request that makes something has an Idempotency-Key, so a retry makes it once.
"""

from __future__ import annotations

import json
import random
import select
import threading
import time
import uuid
from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from http.client import HTTPConnection, HTTPException, HTTPSConnection
from typing import Any
from urllib.parse import urlencode, urlsplit

from onthedot.client.errors import ApiError, Unavailable

TRIES = 5
WAIT_MAX_SEC = 30.0
_BUSY = (429, 500, 502, 503, 504)
# The first request with this Idempotency-Key has not finished yet.
_UNDER_WAY = "idempotency_in_progress"
_GONE, _CHANGED = 404, 412
_BY_WHOM = (
    "It has another version by now: an earlier try, which was not answered, has written it, or "
    "somebody else has. Read it again."
)
_REPEATABLE = ("GET", "PUT", "DELETE")


@dataclass(frozen=True, slots=True)
class _Request:
    method: str
    target: str
    text: bytes | None
    headers: dict[str, str]
    patience_sec: float


@dataclass(slots=True)
class Transport:
    """The address of the API, and the key to it."""

    url: str
    key: str = field(repr=False)
    timeout_sec: float = 30.0
    tries: int = TRIES
    sleep: Callable[[float], None] = time.sleep
    _kept: threading.local = field(default_factory=threading.local, repr=False)

    def call(
        self,
        method: str,
        path: str,
        *,
        body: object = None,
        query: Mapping[str, object] | None = None,
        headers: Mapping[str, str] | None = None,
        repeatable: bool = True,
        patience_sec: float | None = None,
    ) -> Any:  # noqa: ANN401 whatever the route answers
        """Makes a request until it is answered, and returns its JSON, or None if it has none.

        Each try waits as long as `timeout_sec`, or as `patience_sec` if that is less.
        """
        given = {"authorization": f"Bearer {self.key}", **(headers or {})}
        if method == "POST" and repeatable:
            given.setdefault("idempotency-key", uuid.uuid4().hex)
        text = None if body is None else json.dumps(body).encode()
        if text is not None:
            given["content-type"] = "application/json"
        wanted = {name: _spelled(one) for name, one in (query or {}).items() if one is not None}
        target = urlsplit(self.url).path + path
        target += f"?{urlencode(wanted, doseq=True)}" if wanted else ""
        patience = self.timeout_sec if patience_sec is None else patience_sec
        return self._until_answered(
            _Request(method, target, text, given, min(patience, self.timeout_sec))
        )

    def _until_answered(self, request: _Request) -> Any:  # noqa: ANN401 whatever the route answers
        method = request.method
        repeatable = method in _REPEATABLE or "idempotency-key" in request.headers
        problem: dict[str, Any] = {}
        status = 0
        for number in range(self.tries if repeatable else 1):
            if number:
                self.sleep(_wait_sec(number, problem))
            try:
                status, answer, after = self._exchange(request)
            except (OSError, HTTPException) as failure:
                status = 0
                problem = {"code": "unreachable", "detail": f"{self.url}: {failure}"}
                continue
            if number and method == "DELETE" and status == _GONE:
                # An earlier try deleted it, and its answer was lost.
                return None
            if number and status == _CHANGED:
                raise Unavailable(status, _problem(answer) | {"detail": _BY_WHOM})
            problem = {} if status // 100 == 2 else {**_problem(answer), "retry_after": after}
            if status not in _BUSY and problem.get("code") != _UNDER_WAY:
                return _judged(status, answer)
        raise Unavailable(status, problem)

    def _exchange(self, request: _Request) -> tuple[int, bytes, str]:
        connection = self._connection()
        connection.timeout = request.patience_sec
        if connection.sock:
            connection.sock.settimeout(request.patience_sec)
        try:
            connection.request(request.method, request.target, request.text, request.headers)
            answered = connection.getresponse()
            return answered.status, answered.read(), answered.getheader("retry-after", "")
        except BaseException:
            connection.close()
            raise

    def _connection(self) -> HTTPConnection:
        """Returns the thread's connection. A closed one opens itself at its next request.

        One with something to read was closed by the other side, perhaps long ago.
        """
        if not hasattr(self._kept, "connection"):
            split = urlsplit(self.url)
            kind = HTTPSConnection if split.scheme == "https" else HTTPConnection
            self._kept.connection = kind(split.netloc, timeout=self.timeout_sec)
        kept: HTTPConnection = self._kept.connection
        if kept.sock and select.select([kept.sock], [], [], 0)[0]:
            kept.close()
        return kept

    def close(self) -> None:
        """Closes this thread's connection."""
        if hasattr(self._kept, "connection"):
            self._kept.connection.close()


def _spelled(value: object) -> object:
    """Writes a boolean as JSON does, not as Python."""
    return str(value).lower() if isinstance(value, bool) else value


def _judged(status: int, answer: bytes) -> Any:  # noqa: ANN401 whatever the route answers
    if status // 100 == 2:
        # A body that is no JSON does not come from the API.
        with suppress(ValueError):
            return json.loads(answer) if answer else None
    raise ApiError(status, _problem(answer))


def _problem(answer: bytes) -> dict[str, Any]:
    """Reads the problem. A gateway in between may answer with a page of its own."""
    try:
        problem = json.loads(answer)
    except ValueError:
        problem = None
    if isinstance(problem, dict):
        return problem
    return {"code": "unknown", "detail": answer.decode("utf-8", "replace")[:200]}


def _wait_sec(number: int, problem: Mapping[str, Any]) -> float:
    """Returns the wait that the API asks for, or else twice the last one, with jitter."""
    after = str(problem.get("retry_after", ""))
    if after.isascii() and after.isdigit():
        return min(float(after), WAIT_MAX_SEC)
    return min(WAIT_MAX_SEC, 0.1 * (1 << number)) * random.uniform(0.5, 1.0)  # noqa: S311 a spread
