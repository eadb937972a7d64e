"""The request under way: its id, its route, who asks; handlers read it from here."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextvars import ContextVar
from dataclasses import dataclass, field
from hashlib import sha256
from typing import Any

from onthedot.api.door.routes import Route
from onthedot.records.access.api_key import Caller
from onthedot.records.access.audit_trail import By
from onthedot.records.ulid import CHANCE_LETTERS, LETTERS, ulid
from onthedot.store import clock, ids
from onthedot.store.identity import new_id

# Printable ASCII without blanks: anything else might be taken for more than an id.
REQUEST_ID = re.compile(r"[!-~]{1,64}")
_asked: ContextVar[Asked] = ContextVar("asked")


@dataclass(slots=True)
class Repeatable:
    """A request that may be carried out again: its ids follow from when it first began."""

    begun_ms: int
    digest: str
    # An earlier try may have done a part of it, or all.
    again: bool = False
    ids: int = 0

    def chance(self) -> str:
        """Give the letters of its next id: the same at every try."""
        self.ids += 1
        found = sha256(f"{self.digest}.{self.ids}".encode()).digest()
        return "".join(LETTERS[byte & 31] for byte in found[:CHANCE_LETTERS])


@dataclass(slots=True, kw_only=True)
class Asked:
    """One request; the route and the caller are known once they are found."""

    request_id: str
    method: str
    path: str
    headers: Mapping[str, str]
    query: Mapping[str, str]
    body: str = ""
    route: Route | None = None
    caller: Caller | None = None
    once: Repeatable | None = None
    # What the answer says besides what the handler says.
    answer_headers: dict[str, str] = field(default_factory=dict)

    @property
    def by(self) -> Caller:
        """Who asks; only on a route that is not open to all."""
        if self.caller is None:
            raise LookupError(f"{self.path} is open to all, so nobody in particular asks")
        return self.caller


def begin(event: Mapping[str, Any]) -> Asked:
    """Take what API Gateway says of a request; it is the one that handlers then find."""
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
    """Take the caller's own id, if it may stand in a header and in a line of a log."""
    return given if REQUEST_ID.fullmatch(given) else new_id("req")


def asked() -> Asked:
    """Give the request under way."""
    return _asked.get()


def by() -> By:
    """Give who writes, for the audit trail."""
    request = _asked.get()
    return By(
        tenant_id=request.by.tenant_id,
        key_id=request.by.key_id,
        request_id=request.request_id,
        now_ms=clock.now_ms(),
        chance=ids.token(CHANCE_LETTERS),
    )


def own_id(prefix: str) -> str:
    """Make an id; with an Idempotency-Key every try makes the same."""
    once = _asked.get().once
    return f"{prefix}_{ulid(once.begun_ms, once.chance())}" if once else new_id(prefix)


def began_ms() -> int:
    """Give when this began; with an Idempotency-Key every try gives the same."""
    once = _asked.get().once
    return once.begun_ms if once else clock.now_ms()


def own_moment() -> tuple[int, str]:
    """Give when this began and a token of its own; with an Idempotency-Key always the same."""
    once = _asked.get().once
    return (once.begun_ms, once.chance()[:6]) if once else (clock.now_ms(), ids.token(6))


def tried_before() -> bool:
    """Tell whether an earlier try of this request may have done it already."""
    once = _asked.get().once
    return once is not None and once.again


def tenant() -> str:
    """Give the tenant of the request under way."""
    return _asked.get().by.tenant_id


def queues() -> tuple[str, ...]:
    """Give the queues that the key is for; none is every queue."""
    return _asked.get().by.queues
