"""Makes writes in two steps: a plan shows what would happen, and nothing happens before."""

from __future__ import annotations

import uuid
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Generic, TypeVar, cast

from onthedot.client.pages import named
from onthedot.client.transport import Transport
from onthedot.records.shown_objects import Json

T = TypeVar("T")


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan(Generic[T]):
    """What a request would do now. It is valid for some minutes."""

    effects: Json
    expires_at: str
    token: str = field(repr=False)
    transport: Transport = field(repr=False)
    path: str = field(repr=False)
    body: Json = field(repr=False)
    # With this key a repeated execution is carried out once.
    key: str = field(repr=False, default_factory=lambda: uuid.uuid4().hex)

    def execute(self) -> T:
        """Does exactly that. If things have changed, it raises ApiError `plan_stale`."""
        answer = self.transport.call(
            "POST",
            self.path,
            body=self.body,
            query={"plan_token": self.token},
            headers={"idempotency-key": self.key},
        )
        return cast("T", answer)


def plan(transport: Transport, path: str, fields: Mapping[str, object]) -> Plan[T]:
    body = named(fields)
    told = transport.call("POST", path, body=body, query={"dry_run": "true"})
    return Plan(
        effects=told["effects"],
        expires_at=told["expires_at"],
        token=told["plan_token"],
        transport=transport,
        path=path,
        body=body,
    )
