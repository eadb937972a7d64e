"""Measures the floor of a dispatch: the same calls, recorded, signed and sent again alone."""

from __future__ import annotations

import http.client
import threading
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from itertools import groupby
from typing import Any
from urllib.parse import urlsplit

from botocore.auth import SigV4Auth
from botocore.awsrequest import AWSRequest
from botocore.credentials import Credentials

from onthedot.store import aws

_KEYS = Credentials("test", "test")
_local = threading.local()


@dataclass(frozen=True, slots=True)
class Request:
    """One recorded call. Calls of one phase may go at once."""

    phase: str
    service: str
    url: str
    target: str
    body: bytes


def record(requests: list[Request]) -> None:
    """Keeps every request that the clients send from now on."""
    for service in ("dynamodb", "sqs"):
        aws.client(service).meta.events.register("before-send.*", _recorder(service, requests))


def _recorder(service: str, requests: list[Request]) -> Any:  # noqa: ANN401 botocore's hook
    def keep(request: Any, **_: object) -> None:  # noqa: ANN401 botocore's prepared request
        target = request.headers["X-Amz-Target"]
        target = target.decode() if isinstance(target, bytes) else target
        body = request.body if isinstance(request.body, bytes) else request.body.encode()
        statement = body.split(b"Statement", 2)[-1][:12]
        requests.append(Request(f"{target} {statement!r}", service, request.url, target, body))

    return keep


def send_again(requests: Sequence[Request], width: int) -> None:
    """Sends all, phase by phase, `width` at once."""
    with ThreadPoolExecutor(width) as pool:
        for _, phase in groupby(requests, key=lambda request: request.phase):
            list(pool.map(_send, phase))


def _send(request: Request) -> None:
    headers = {
        "X-Amz-Target": request.target,
        "Content-Type": "application/x-amz-json-1.0",
    }
    signed = AWSRequest("POST", request.url, headers=headers, data=request.body)
    SigV4Auth(_KEYS, request.service, "us-east-1").add_auth(signed)
    connection = _connection(request.url)
    connection.request("POST", "/", body=request.body, headers=dict(signed.headers.items()))
    answer = connection.getresponse()
    answer.read()
    if answer.status != http.client.OK:
        raise RuntimeError(f"{request.target}: {answer.status}")


def _connection(url: str) -> http.client.HTTPConnection:
    place = urlsplit(url).netloc
    known: dict[str, http.client.HTTPConnection] = getattr(_local, "known", {})
    _local.known = known
    if place not in known:
        known[place] = http.client.HTTPConnection(place)
    return known[place]
