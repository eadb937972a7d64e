"""The API in a test: requests as API Gateway would bring them, over a store that counts calls."""

from __future__ import annotations

import json
from collections import Counter
from dataclasses import dataclass, field
from itertools import count
from typing import Any
from urllib.parse import parse_qsl

import pytest

from lambdas.api import handler
from onthedot.records import schema
from onthedot.registry import api_keys
from onthedot.schedule.time.instants import parse_nominal
from onthedot.store import aws, clock
from tests.api import new_process
from tests.contract import engines
from tests.simulation.stores.sqs import Sqs

NOON = parse_nominal("2026-11-18T12:00:00Z")
_NUMBERS = count(1)
TABLES = {"tasks": schema.TASKS, "runs": schema.RUNS, "access": schema.ACCESS}


@dataclass(frozen=True, slots=True)
class Answer:
    """What came back."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def body(self) -> Any:
        return json.loads(self.text)


@dataclass(slots=True, eq=False)
class Api:
    """The function with fresh tables, simulated queues and a clock that stands still."""

    settings: pytest.MonkeyPatch
    now_ms: int = NOON * 1000
    calls: Counter[str] = field(default_factory=Counter)
    secrets: dict[tuple[str, str], str] = field(default_factory=dict)
    sqs: Any = None

    @classmethod
    def made(cls, settings: pytest.MonkeyPatch, url: str) -> Api:
        api = cls(settings)
        dynamodb = engines.client("dynamodb", url)
        dynamodb.meta.events.register("before-call.dynamodb.*", api._count)
        api.sqs = Sqs(lambda: api.now_ms * 1000)
        clients = {"dynamodb": dynamodb, "sqs": api.sqs}
        settings.setattr(aws, "client", lambda service: clients[service])
        settings.setattr(clock, "local_ms", lambda: api.now_ms)
        # The store's own clock goes on.
        clock.correct(0)
        settings.setattr(clock, "correct", lambda _offset_ms: None)
        settings.setattr(clock, "sleep", api.wait)
        settings.setattr(clock, "monotonic", lambda: api.now_ms / 1000)
        settings.setenv("PARALLEL_CALLS", "1")
        number = next(_NUMBERS)
        for table, declared in TABLES.items():
            settings.setenv(f"{table.upper()}_TABLE", f"{table}-{number}")
            dynamodb.create_table(**schema.creation(declared, aws.table(table)))
        for queue in aws.QUEUES:
            api.sqs.create_queue(QueueName=queue)
            settings.setenv(f"{queue.upper()}_QUEUE_URL", api.sqs.url(queue))
        aws.width.cache_clear()  # read once a process
        new_process.forget_all()
        return api

    def _count(self, model: Any, **_: object) -> None:
        self.calls[model.name] += 1

    def key(self, role: str = "admin", tenant: str = "acme") -> str:
        """Returns a key of that role, made once."""
        if (tenant, role) not in self.secrets:
            _, self.secrets[tenant, role] = api_keys.make(tenant_id=tenant, role=role, name=role)
        return self.secrets[tenant, role]

    def call(
        self, route: str, body: object = None, *, key: str | None = None, **headers: str
    ) -> Answer:
        """Returns `POST /v1/tasks?dry_run=true`; a body that is no text is written as JSON."""
        text = body if isinstance(body, str) else "" if body is None else json.dumps(body)
        given = {"content-type": "application/json"} if text else {}
        given |= {name.replace("_", "-"): value for name, value in headers.items()}
        key = self.key() if key is None else key
        return self.send(route, text, given | ({"authorization": f"Bearer {key}"} if key else {}))

    def send(self, route: str, text: str, headers: dict[str, str], **more: Any) -> Answer:
        """Sends exactly this."""
        self.calls.clear()
        return answer(handler(event(route, text, headers) | more, CONTEXT))

    def wait(self, seconds: float) -> None:
        """Lets time pass."""
        self.now_ms += int(seconds * 1000)

    def warm(self) -> None:
        """Reads what is read once in a while: keys, limits, targets, the secret."""
        self.call("POST /v1/tasks?dry_run=true", {"target": SCHEDULE["target"]})
        # By then this environment takes its requests of a minute by the dozen.
        for _ in range(31):
            self.call("GET /v1/timezones")

    def trips(self) -> int:
        """Returns how many calls to the store the last request made."""
        return self.calls.total()

    def schedule(self, name: str = "report", **fields: Any) -> Any:
        """Registers a schedule and gives what the API says of it."""
        made = self.call("POST /v1/schedules", SCHEDULE | {"name": name} | fields)
        assert made.status == 201, made.text
        return made.body


CONTEXT: Any = None
SCHEDULE = {"cron": "0 9 * * *", "target": {"type": "python", "handler": "hello"}}


def event(route: str, text: str, headers: dict[str, str]) -> dict[str, Any]:
    """Writes the event of API Gateway's HTTP API, payload format 2.0."""
    method, _, url = route.partition(" ")
    path, _, query = url.partition("?")
    return {
        "version": "2.0",
        "routeKey": f"{method} {path}",
        "rawPath": path,
        "rawQueryString": query,
        "queryStringParameters": joined(query),
        "headers": headers,
        "requestContext": {
            "stage": "$default",
            "http": {"method": method, "path": path, "sourceIp": "127.0.0.1"},
        },
        "body": text,
        "isBase64Encoded": False,
    }


def joined(query: str) -> dict[str, str]:
    """A parameter that stands there twice comes as one, joined by commas."""
    found: dict[str, str] = {}
    for name, value in parse_qsl(query, keep_blank_values=True):
        found[name] = f"{found[name]},{value}" if name in found else value
    return found


def answer(found: dict[str, Any]) -> Answer:
    headers = {name.lower(): value for name, value in found["headers"].items()}
    return Answer(found["statusCode"], headers, found.get("body") or "")
