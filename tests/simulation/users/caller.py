"""Callers: they ask the API's own handler as a well-behaved client does, until it has answered.

Each try is a process of its own, so each of its effects can be crashed, refused or delayed.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from random import Random
from typing import Any
from urllib.parse import parse_qsl

from botocore.exceptions import ReadTimeoutError

from lambdas.api import handler
from onthedot.records.access import api_key
from onthedot.records.access.api_key import Key
from onthedot.records.attributes import typed_item
from tests.simulation.outside.environments import Environment, stand_ins
from tests.simulation.stage import Stage
from tests.simulation.users.act import Act

# The time limit of the function; a client waits a little longer than that.
API_SEC = 29
# So long a client asks again: longer than a request that died keeps its Idempotency-Key locked.
PATIENCE_SEC = 100
_PAUSE_SEC, _PAUSE_MAX_SEC = 0.4, 8.0
_BUSY = frozenset({429, 500, 502, 503, 504})
_UNDER_WAY = "idempotency_in_progress"
_CONTEXT: Any = None


@dataclass(frozen=True, slots=True)
class Told:
    """What one try was told; status 0 is no answer at all."""

    at_ms: float
    process: str
    status: int = 0
    headers: Mapping[str, str] = field(default_factory=dict)
    text: str = ""

    @property
    def body(self) -> Any:
        return json.loads(self.text) if self.text else None

    @property
    def code(self) -> str:
        """Returns the code of a problem; empty where it is none."""
        return str(self.body.get("code", "")) if self.status >= 400 and self.text else ""

    @property
    def settled(self) -> bool:
        """Tells whether a client takes this for the answer, and does not try again."""
        return self.status > 0 and self.status not in _BUSY and self.code != _UNDER_WAY


@dataclass(slots=True, kw_only=True)
class Ask(Act):
    """One request: what was asked, with which key, and what each of its tries was told.

    `acked_ms` is when the API said that it has done it: a refusal is no acknowledgement.
    """

    route: str
    body: Any = None
    tenant_id: str
    key_id: str
    # Its Idempotency-Key.
    once: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)
    # The plan that it carries out, as it was shown.
    plan: Mapping[str, Any] | None = None
    told: list[Told] = field(default_factory=list)

    @property
    def answer(self) -> Told | None:
        """Returns what settled it, if anything did."""
        return self.told[-1] if self.told and self.told[-1].settled else None

    @property
    def done(self) -> bool:
        """Tells whether the API said that it has done it."""
        if self.answer is None:
            return False
        # It is gone: by an earlier try, whose answer did not come.
        ended = self.route.startswith("DELETE") and len(self.told) > 1
        return self.answer.status < 300 or (ended and self.answer.status == 404)

    @property
    def said(self) -> Any:
        """Returns the body of what it said when it had done it."""
        told = self.answer
        return told.body if told is not None and told.status < 300 else None


@dataclass(slots=True, kw_only=True)
class Caller:
    """A user or an outside worker with an API key of its own; asks from within a process."""

    front: Front
    tenant_id: str
    key_id: str
    text: str
    asked: int = 0

    def ask(
        self,
        route: str,
        body: object = None,
        *,
        name: str = "",
        task_id: str = "",
        once: str | None = None,
        plan: Mapping[str, Any] | None = None,
        patience_sec: float = PATIENCE_SEC,
        **headers: str,
    ) -> Ask:
        """Asks until it is settled, and keeps it among the history's acts.

        `POST /v1/tasks?dry_run=true` is a route; `name` is what the laws know such a request by.
        """
        stage, world = self.front.stage, self.front.stage.world
        self.asked += 1
        if once is None:
            once = f"{self.key_id}-{self.asked}" if route.startswith("POST") else ""
        ask = Ask(
            name=name or route,
            task_id=task_id,
            began_ms=world.epoch_us() / 1000,
            route=route,
            body=body,
            tenant_id=self.tenant_id,
            key_id=self.key_id,
            once=once,
            plan=plan,
            headers={each.replace("_", "-"): text for each, text in headers.items()},
        )
        stage.acts.append(ask)
        self._until_settled(ask, patience_sec)
        return ask

    def _until_settled(self, ask: Ask, patience_sec: float) -> None:
        """Waits twice as long each time, or as long as the API says."""
        world, pause_sec = self.front.stage.world, _PAUSE_SEC
        while world.epoch_us() / 1000 < ask.began_ms + patience_sec * 1000:
            ask.told.append(self.front.send(ask, self._event(ask)))
            if ask.told[-1].settled:
                self._acknowledge(ask)
                break
            said = float(ask.told[-1].headers.get("Retry-After", 0))
            world.sleep(int(max(said, pause_sec) * 1_000_000))
            pause_sec = min(2 * pause_sec, _PAUSE_MAX_SEC)

    @staticmethod
    def _acknowledge(ask: Ask) -> None:
        """Keeps what the answer names, for the laws that every act is judged by."""
        if not ask.done:
            return
        ask.acked_ms = ask.told[-1].at_ms
        said = ask.said or {}
        ask.task_id = ask.task_id or said.get("task_id") or ""
        ask.run_id = said.get("run_id") or ""
        if said.get("task_id") == ask.task_id:
            ask.version = said.get("version") or 0

    def _event(self, ask: Ask) -> dict[str, Any]:
        """Returns what API Gateway makes of the request, payload format 2.0."""
        headers = {"authorization": f"Bearer {self.text}", **ask.headers}
        headers |= {"idempotency-key": ask.once} if ask.once else {}
        headers |= {"content-type": "application/json"} if ask.body is not None else {}
        method, _, url = ask.route.partition(" ")
        path, _, query = url.partition("?")
        return {
            "version": "2.0",
            "routeKey": f"{method} {path}",
            "rawPath": path,
            "rawQueryString": query,
            "queryStringParameters": dict(parse_qsl(query)),
            "headers": headers,
            "requestContext": {
                "stage": "$default",
                "http": {"method": method, "path": path, "sourceIp": "127.0.0.1"},
            },
            "body": "" if ask.body is None else json.dumps(ask.body),
            "isBase64Encoded": False,
        }


@dataclass(slots=True)
class Front:
    """API Gateway: a request goes to an environment that is free, or to a new one."""

    stage: Stage
    random: Random
    # How often a new environment is started although one is free.
    cold: float = 0.1
    free: list[Environment] = field(default_factory=list)

    def caller(self, tenant_id: str = "acme", role: str = "admin", name: str = "") -> Caller:
        """Gives a tenant's key to a new caller; the key is there from the beginning."""
        number = len(self.stage.world.store.table("access").rows.items)
        key_id = f"key_{number:026d}"
        secret = f"{number:0{api_key.SECRET_LENGTH}d}"
        made = Key(
            key_id=key_id,
            digest=api_key.digest(secret),
            tenant_id=tenant_id,
            role=role,
            name=name,
            created_at="2026-11-18T12:00:00Z",
        )
        for item in (made.item(), api_key.pointer(made)):
            self.stage.world.store.put_item(TableName="access", Item=typed_item(item))
        return self.holder(tenant_id, key_id, api_key.written(key_id, secret))

    def holder(self, tenant_id: str, key_id: str, text: str) -> Caller:
        """Gives a caller with a key that the API has made."""
        return Caller(front=self, tenant_id=tenant_id, key_id=key_id, text=text)

    def send(self, ask: Ask, event: dict[str, Any]) -> Told:
        """Returns one try, in a process of its own; the running process waits for it to end."""
        world = self.stage.world
        waiter = world.running
        assert waiter is not None, "callers are processes: see World.spawn"
        environment = self._environment()

        def work() -> dict[str, Any] | None:
            environment.enter()
            answered, heard = handler(event, _CONTEXT), None
            with suppress(ReadTimeoutError):
                shown = {"route": ask.route, "status": answered["statusCode"]}
                heard = world.act("answer", lambda **_: answered, **shown)
            self.free.append(environment)
            return heard

        process = world.spawn("api", work, limit_sec=API_SEC)
        if environment.skew_us is None:
            environment.skew_us = process.skew_us
        process.set_clock(environment.skew_us, world.now_us)
        ask.tries[process.name] = world.epoch_us() / 1000
        process.waiter = waiter
        world.park(waiter)
        found, at_ms = process.result, world.epoch_us() / 1000
        if found is None:
            return Told(at_ms, process.name)
        text = found.get("body") or ""
        return Told(at_ms, process.name, found["statusCode"], found["headers"], text)

    def _environment(self) -> Environment:
        """Returns the one that was used last, as Lambda does; now and then another one is
        started.
        """
        if not self.free or self.random.random() < self.cold:
            return Environment()
        return self.free.pop()


def opened(stage: Stage) -> Front:
    """Opens the API of a history, before it is staged."""
    stage.stand_ins += stand_ins(stage.world)
    return Front(stage, Random(f"front {stage.world.seed}"))
