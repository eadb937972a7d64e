"""Holds the present request: its id, its route, who asks. Handlers read it here."""

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
    # Headers of the answer besides those of the handler.
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
