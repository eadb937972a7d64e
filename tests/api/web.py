"""The API as a web application on this machine: HTTP in, the function's events out."""

from __future__ import annotations

import base64
from collections.abc import Callable, Iterable
from http import HTTPStatus
from typing import Any
from urllib.parse import unquote

from lambdas.api import handler
from tests.api.kit import CONTEXT, joined

Start = Callable[[str, list[tuple[str, str]]], Any]


def application(environ: dict[str, Any], start: Start) -> Iterable[bytes]:
    """Answers as API Gateway and the function do together."""
    found = handler(_event(environ), CONTEXT)
    status = found["statusCode"]
    body = (found.get("body") or "").encode()
    headers = [(name, str(value)) for name, value in found["headers"].items()]
    if status not in (HTTPStatus.NO_CONTENT, HTTPStatus.NOT_MODIFIED):
        headers.append(("Content-Length", str(len(body))))
    start(f"{status} {HTTPStatus(status).phrase}", headers)
    return [body]


def _event(environ: dict[str, Any]) -> dict[str, Any]:
    length = int(environ.get("CONTENT_LENGTH") or 0)
    body = environ["wsgi.input"].read(length)
    query = environ.get("QUERY_STRING", "")
    # WSGI has the bytes of a path as letters of Latin 1.
    path = environ["PATH_INFO"].encode("latin-1").decode("utf-8", "replace")
    headers = {
        name[5:].replace("_", "-").lower(): value
        for name, value in environ.items()
        if name.startswith("HTTP_")
    }
    if environ.get("CONTENT_TYPE"):
        headers["content-type"] = environ["CONTENT_TYPE"]
    method = environ["REQUEST_METHOD"]
    return {
        "version": "2.0",
        "routeKey": f"{method} {path}",
        "rawPath": unquote(path) if "%" in path else path,
        "rawQueryString": query,
        "queryStringParameters": joined(query),
        "headers": headers,
        "requestContext": {"stage": "$default", "http": {"method": method, "path": path}},
        "body": base64.b64encode(body).decode(),
        "isBase64Encoded": True,
    }
