"""Reads the present request: its id, its route, who asks, its body. Handlers read it here."""

from __future__ import annotations

import json
import math
import re
from base64 import b64decode
from binascii import Error
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from hashlib import sha256
from itertools import accumulate, pairwise
from typing import Any, NoReturn

from onthedot.api.door.routes import Route
from onthedot.records.access.api_key import Caller
from onthedot.records.access.audit_trail import By
from onthedot.records.keys import CHANCE_LETTERS, LETTERS, ulid
from onthedot.records.problems import Problem
from onthedot.store import clock, ids
from onthedot.store.ids import new_id

# Printable ASCII without blanks, so that it cannot be taken for more than an id.
REQUEST_ID = re.compile(r"[!-~]{1,64}")
_asked: ContextVar[Asked] = ContextVar("asked")


@dataclass(slots=True)
class Repeatable:
    """A request that may be repeated. Its ids follow from the time of the first try."""

    begun_ms: int
    digest: str
    # An earlier try may have done a part of it, or all.
    again: bool = False
    ids: int = 0

    def chance(self) -> str:
        """Returns the letters of its next id: the same at every try."""
        self.ids += 1
        found = sha256(f"{self.digest}.{self.ids}".encode()).digest()
        return "".join(LETTERS[byte & 31] for byte in found[:CHANCE_LETTERS])


@dataclass(slots=True, kw_only=True)
class Asked:
    """One request. The route and the caller are set once they are found."""

    request_id: str
    method: str
    path: str
    headers: Mapping[str, str]
    query: Mapping[str, str]
    body: str = ""
    route: Route | None = None
    caller: Caller | None = None
    once: Repeatable | None = None
    # Headers of the answer, added to those of the handler.
    answer_headers: dict[str, str] = field(default_factory=dict)

    @property
    def by(self) -> Caller:
        """Returns who asks. Only on a route that is not open to all."""
        if self.caller is None:
            raise LookupError(f"{self.path} is open to all, so nobody in particular asks")
        return self.caller


def begin(event: Mapping[str, Any]) -> Asked:
    """Reads a request from API Gateway's event. Handlers then find it here."""
    http = event["requestContext"]["http"]
    headers = {name.lower(): value for name, value in event.get("headers", {}).items()}
    asked = Asked(
        request_id=_id_of(headers.get("x-request-id", "")),
        method=http["method"],
        path=event["rawPath"],
        headers=headers,
        query=event.get("queryStringParameters") or {},
    )
    _asked.set(asked)
    return asked


def _id_of(given: str) -> str:
    """Returns the caller's own id, if it may stand in a header and in a log line."""
    return given if REQUEST_ID.fullmatch(given) else new_id("req")


def asked() -> Asked:
    """Returns the present request."""
    return _asked.get()


def by() -> By:
    """Returns who writes, for the audit trail."""
    request = _asked.get()
    return By(
        tenant_id=request.by.tenant_id,
        key_id=request.by.key_id,
        request_id=request.request_id,
        now_ms=clock.now_ms(),
        chance=ids.token(CHANCE_LETTERS),
    )


def own_id(prefix: str) -> str:
    """Makes an id. With an Idempotency-Key every try makes the same one."""
    once = _asked.get().once
    return f"{prefix}_{ulid(once.begun_ms, once.chance())}" if once else new_id(prefix)


def began_ms() -> int:
    """Returns when this began. With an Idempotency-Key every try returns the same time."""
    once = _asked.get().once
    return once.begun_ms if once else clock.now_ms()


def own_moment() -> tuple[int, str]:
    """Returns when this began, and a token. With an Idempotency-Key both are always the same."""
    once = _asked.get().once
    return (once.begun_ms, once.chance()[:6]) if once else (clock.now_ms(), ids.token(6))


def tried_before() -> bool:
    """Tells whether an earlier try of this request may have done it."""
    once = _asked.get().once
    return once is not None and once.again


def tenant() -> str:
    """Returns the tenant of the present request."""
    return _asked.get().by.tenant_id


def queues() -> tuple[str, ...]:
    """Returns the queues that the key is for. Empty means every queue."""
    return _asked.get().by.queues


BYTES_MAX = 300_000
DEPTH_MAX = 64
_DIGITS_MAX = 300
# Above this a float skips whole numbers.
_EXACT_MAX = 2.0**53
_TYPES = ("application/json", "application/merge-patch+json")
_STRINGS = re.compile(r'"(?:[^"\\]|\\.)*"')
_BRACKETS = re.compile(r"[\[\]{}]")
# The escape of half a surrogate pair. A whole pair is an ordinary letter.
_HALVES = "\\ud"
_LETTERS = ("", "utf-8", "utf8", '"utf-8"')


def text_of(event: Mapping[str, Any]) -> str:
    """Returns the body as text. It counts as JSON only if its type says so or is missing."""
    body = event.get("body") or ""
    if not event.get("isBase64Encoded"):
        return _sized(body)
    try:
        return _sized(b64decode(body, validate=True).decode())
    except (Error, UnicodeDecodeError):
        raise Problem("invalid_request", "The body is not UTF-8.") from None


def check_type(content_type: str) -> None:
    """Refuses a declared type other than JSON in UTF-8."""
    kind, _, rest = content_type.lower().partition(";")
    name, _, letters = rest.strip().partition("=")
    if kind.strip() in ("", *_TYPES) and (name != "charset" or letters in _LETTERS):
        return
    message = f"The body's type is '{content_type[:100]}': expected application/json."
    raise Problem("unsupported_media_type", message, headers={"Accept": _TYPES[0]})


def parsed(text: str) -> Any:  # noqa: ANN401  # an object, or null for none
    """Reads an object. It refuses what lenient readers accept."""
    found = _read(text)
    if _depth(text) > DEPTH_MAX:
        raise _too_deep()
    if _HALVES in text.lower() and not _is_text(found):
        raise Problem(
            "invalid_request",
            "The body has half of a surrogate pair, which is not text.",
        )
    if found is not None and not isinstance(found, dict):
        raise Problem("invalid_request", "The body is not a JSON object: expected {…}.")
    return found


def _read(text: str) -> object:
    try:
        return json.loads(
            text,
            parse_constant=_constant,
            parse_int=_whole,
            parse_float=_broken,
            object_pairs_hook=_object,
        )
    except json.JSONDecodeError as mistake:
        where = f"line {mistake.lineno}, column {mistake.colno}"
        raise Problem("invalid_request", f"The body is not JSON: {mistake.msg}, {where}.") from None
    except RecursionError:
        raise _too_deep() from None


def _too_deep() -> Problem:
    return Problem("invalid_request", f"The body is nested deeper than {DEPTH_MAX} levels.")


def _sized(text: str) -> str:
    # A letter has at least one byte, so most texts need no encoding to be measured.
    if len(text) > BYTES_MAX or len(text.encode(errors="replace")) > BYTES_MAX:
        message = f"The body is larger than {BYTES_MAX:,} bytes."
        raise Problem("payload_too_large", message)
    try:
        text.encode()
    except UnicodeEncodeError:
        raise Problem("invalid_request", "The body is not UTF-8.") from None
    return text


def _is_text(found: object) -> bool:
    try:
        json.dumps(found, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        return False
    return True


def _depth(text: str) -> int:
    """Returns the depth of nesting. A text with few brackets cannot be too deep."""
    if text.count("{") + text.count("[") <= DEPTH_MAX:
        return 0
    brackets = _BRACKETS.findall(_STRINGS.sub("", text))
    return max(accumulate(1 if bracket in "{[" else -1 for bracket in brackets))


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        names = sorted(name for name, _ in pairs)
        twice = next(name for name, following in pairwise(names) if name == following)
        raise Problem("invalid_request", f"The field '{twice[:64]}' is there twice in one object.")
    return found


def _constant(name: str) -> NoReturn:
    raise Problem("invalid_request", f"{name} is not a JSON number.")


def _whole(text: str) -> int:
    if len(text.lstrip("-")) > _DIGITS_MAX:
        raise Problem("invalid_request", f"A number has more than {_DIGITS_MAX} digits.")
    return int(text)


def _broken(text: str) -> float:
    """Reads 1.5, and 1.0 as a whole number."""
    number = float(text)
    if not math.isfinite(number):
        raise Problem("invalid_request", f"{text[:40]} is too large for a number.")
    return int(number) if number.is_integer() and abs(number) < _EXACT_MAX else number
