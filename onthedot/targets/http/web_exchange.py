"""Describes one HTTP exchange as values: the request, the response, or why there is none."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Literal
from urllib.parse import quote, urljoin, urlsplit

# Bytes. A longer answer is not read to its end; its connection is closed instead.
BODY_MAX = 65_536
# Requests without a body.
BODILESS = ("GET", "HEAD")
_REDIRECTS = (301, 302, 303, 307, 308)
# Headers that another site must not get.
_PRIVATE = ("authorization", "webhook-signature")
# The client alone sets these. With a length of their own, the rest of one tenant's body would pass
# for another's next request. The host is the url's: its address was checked, and its certificate is
# its own.
_FRAMING = frozenset(
    "connection content-length expect host keep-alive proxy-connection te trailer "
    "transfer-encoding upgrade".split()
)
# Headers by which a receiver knows a run.
_OURS = ("idempotency-key", "onthedot-", "traceparent", "webhook-")
_HIDDEN = "[hidden]"
# Characters that mean themselves in a path or query, or that are escaped already.
_PLAIN = "%/:=&?~+!$,;'@()*[]"
# Shorter credentials would be found in any text.
_CREDENTIAL_MIN = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Request:
    """What is sent, and how long the whole exchange may take."""

    method: str
    url: str
    headers: Mapping[str, str] = field(repr=False)
    body: bytes | None
    patience_sec: float
    follow_redirects: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Response:
    """What came back. The names of headers are in lower case."""

    status: int
    headers: Mapping[str, str]
    body: bytes
    # The answer was longer than what is read.
    cut: bool = False


@dataclass(frozen=True, slots=True)
class NoResponse:
    """Nothing came back that can be judged."""

    kind: Literal["forbidden", "timed_out", "failed", "broken_off"]
    message: str


# Scheme, host, port: where one connection leads.
Place = tuple[str, str, int]
_PORTS = {"http": 80, "https": 443}


def place_of(url: str) -> Place | None:
    """Returns where a URL leads, or None if it is no http or https address."""
    try:
        split = urlsplit(url)
        port = split.port
    except ValueError:
        return None
    if split.scheme not in _PORTS or not split.hostname or port == 0:
        return None
    return split.scheme, split.hostname, port or _PORTS[split.scheme]


def path_of(url: str) -> str:
    """Returns the path and query of a URL."""
    split = urlsplit(url)
    return (split.path or "/") + (f"?{split.query}" if split.query else "")


def reserved(header: str) -> bool:
    """Tells whether only the scheduler may set a header."""
    name = header.lower()
    return name in _FRAMING or name.startswith(_OURS)


def discreet(seen: Response, sent: Request) -> Response:
    """Hides the credential that was sent: a receiver may return the request in its answer."""
    told = sent.headers.get("authorization", "")
    credential = told.partition(" ")[2] or told
    if len(credential) < _CREDENTIAL_MIN:
        return seen
    body, headers = seen.body, dict(seen.headers)
    for spelled in (credential, json.dumps(credential)[1:-1]):
        body = body.replace(spelled.encode(), _HIDDEN.encode())
        headers = {name: value.replace(spelled, _HIDDEN) for name, value in headers.items()}
    return replace(seen, body=body, headers=headers)


def onward(request: Request, seen: Response) -> Request | None:
    """Returns the request after a redirect, as browsers make it. None ends the exchange."""
    where = seen.headers.get("location")
    if not request.follow_redirects or seen.status not in _REDIRECTS or not where:
        return None
    url = _escaped(urljoin(request.url, where))
    headers = dict(request.headers)
    if urlsplit(url)[:2] != urlsplit(request.url)[:2]:
        headers = {name: value for name, value in headers.items() if name not in _PRIVATE}
    if seen.status in (307, 308) or request.method in BODILESS:
        return replace(request, url=url, headers=headers)
    headers.pop("content-type", None)
    return replace(request, url=url, headers=headers, method="GET", body=None)


def _escaped(url: str) -> str:
    """Escapes what stands in a Location unescaped. The library reads its bytes as Latin-1."""
    split = urlsplit(url)
    path, query = (quote(part, _PLAIN, "iso-8859-1") for part in (split.path, split.query))
    return split._replace(path=path, query=query, fragment="").geturl()
