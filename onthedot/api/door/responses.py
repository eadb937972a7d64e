"""Makes the answers of handlers: JSON with a status, and an address or a version if it has one."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from typing import Any

from aws_lambda_powertools.event_handler import Response

from onthedot.api.door.request import asked
from onthedot.records.problems import Problem

# The handlers of each family of routes, by route.
Handlers = Mapping[str, Callable[..., Response[str]]]
_JSON = "application/json"
_TAG = re.compile(r'(?:^|,)\s*(?:W/)?"([^"]*)"\s*(?=,|$)')
_PROBLEM = "application/problem+json"


def answer(
    body: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
) -> Response[str]:
    """Answers with JSON."""
    return Response(status, _JSON, _written(body), dict(headers or {}))


def versioned(
    body: Mapping[str, Any], status: int = 200, headers: Mapping[str, str] | None = None
) -> Response[str]:
    """Answers with a version. A caller that has that version already gets no body."""
    tag = etag(body["version"])
    if status == 200 and asked().method == "GET" and names(asked().headers, "if-none-match", tag):
        return Response(304, body="", headers={"ETag": tag})
    return answer(body, status, {"ETag": tag, **(headers or {})})


def empty() -> Response[str]:
    """Answers without a body: the work is done."""
    return Response(204, body="")


def etag(version: int) -> str:
    """Writes a version in the form of HTTP."""
    return f'"{version}"'


def names(headers: Mapping[str, str], header: str, tag: str) -> bool:
    """Tells whether a list of tags has this one, or stands for any.

    A weak tag counts like a strong one: a version names exactly one state.
    """
    listed = headers.get(header, "")
    # A comma inside quotes belongs to the tag.
    return listed.strip() == "*" or tag in (f'"{each}"' for each in _TAG.findall(listed))


def problem(found: Problem) -> Response[str]:
    """Answers with a problem."""
    body = found.as_json(instance=asked().path, request_id=asked().request_id)
    return Response(found.status, _PROBLEM, _written(body), dict(found.headers))


def _written(body: Mapping[str, Any]) -> str:
    return json.dumps(body, ensure_ascii=False, separators=(",", ":"))
