"""A user of the API: one key, plain HTTP, and the few things that every scenario does."""

from __future__ import annotations

import json
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime
from http.client import HTTPConnection
from threading import BoundedSemaphore, Event
from typing import Any, TypeVar

FINAL = {"succeeded", "dead", "skipped", "missed", "cancelled"}
HELLO = {"type": "python", "handler": "hello"}
# A date that no test sees come, for schedules that only triggers run.
YEARLY = "0 0 1 1 *"
# Each request at the same time is a process of the emulator: more of them than this are no faster.
AT_ONCE = 6
# What has not come by then does not come; a busy machine takes most of it.
PATIENCE_SEC = 150
_TRIES = 5
_TIMEOUT_SEC = 60
_Got = TypeVar("_Got")

_places = BoundedSemaphore(AT_ONCE)
# Set when the tests are over, so that no scenario waits on for what will not come.
over = Event()


@dataclass(frozen=True, slots=True)
class Answer:
    """What the API said."""

    status: int
    headers: dict[str, str]
    text: str

    @property
    def json(self) -> Any:
        return json.loads(self.text)

    @property
    def code(self) -> str:
        """Returns the code of a problem document; nothing else that is refused will do."""
        assert self.headers["content-type"].startswith("application/problem+json"), self
        problem = self.json
        assert problem["status"] == self.status, self
        assert problem["detail"], self
        return str(problem["code"])

    @property
    def refusal(self) -> tuple[int, str]:
        return self.status, self.code


@dataclass(frozen=True, slots=True)
class User:
    """Somebody with a key of a tenant."""

    url: str
    key: str
    tenant: str
    operator: User | None = field(default=None, repr=False)

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        """Asks once; what says `try again` is asked again, as a decent program does."""
        content = None if body is None else json.dumps(body, ensure_ascii=False).encode()
        for attempt in range(_TRIES):
            answer = self.send(method, path, content, **headers)
            if answer.status != 503 or attempt == _TRIES - 1:
                break
            over.wait(float(answer.headers.get("retry-after", "1")))
        return answer

    def send(self, method: str, path: str, content: bytes | None = None, **headers: str) -> Answer:
        """Sends bytes as they are; names of headers have underscores for dashes."""
        sent = {"content-type": "application/json"}
        if self.key:
            sent["authorization"] = f"Bearer {self.key}"
        sent |= {name.replace("_", "-"): value for name, value in headers.items()}
        with _places:
            return self.exchange(method, path, content, sent)

    def exchange(
        self,
        method: str,
        path: str,
        content: bytes | None,
        headers: dict[str, str],
        *,
        timeout_sec: float = _TIMEOUT_SEC,
    ) -> Answer:
        """Sends it whatever else is being sent."""
        connection = HTTPConnection(self.url.removeprefix("http://"), timeout=timeout_sec)
        try:
            connection.request(method, path, content, headers)
            answer = connection.getresponse()
            text = answer.read().decode()
        finally:
            connection.close()
        return Answer(
            answer.status, {name.lower(): value for name, value in answer.getheaders()}, text
        )

    def get(self, path: str) -> Any:
        return self.said(200, "GET", path)

    def said(self, status: int, method: str, path: str, body: object = None, **headers: str) -> Any:
        """Asks for what is to be answered with that status, and gives the answer's body."""
        answer = self.ask(method, path, body, **headers)
        assert answer.status == status, f"{method} {path}: {answer.status} {answer.text[:2000]}"
        return answer.json if answer.text else None

    def schedule(self, name: str, **fields: object) -> dict[str, Any]:
        """Registers a schedule; without another target it says hello."""
        made = {"name": name, "target": HELLO, **fields}
        return dict(self.said(201, "POST", "/v1/schedules", made))

    def task(self, **fields: object) -> dict[str, Any]:
        return dict(self.said(201, "POST", "/v1/tasks", {"target": HELLO, **fields}))

    def trigger(self, schedule: str, **fields: object) -> str:
        run = self.said(202, "POST", f"/v1/schedules/{schedule}/trigger", fields)
        return str(run["run_id"])

    def run(self, run_id: str) -> dict[str, Any]:
        return dict(self.get(f"/v1/runs/{run_id}"))

    def runs(self, schedule: str, query: str = "") -> list[dict[str, Any]]:
        """Returns every run of a schedule, whose list may have many pages."""
        return self.walked(f"/v1/schedules/{schedule}/runs?limit=200{query}")

    def walked(self, path: str) -> list[dict[str, Any]]:
        """Returns the whole of a list."""
        joint = "&" if "?" in path else "?"
        page = self.get(path)
        rows = list(page["data"])
        while page["next_cursor"]:
            page = self.get(f"{path}{joint}cursor={page['next_cursor']}")
            rows += page["data"]
        return rows

    def settled(self, run_id: str, within_sec: float = PATIENCE_SEC) -> dict[str, Any]:
        """Returns the run, once it has its outcome."""
        return until(lambda: self.run(run_id), lambda run: run["status"] in FINAL, within_sec)

    def at(self, run_id: str, status: str, within_sec: float = PATIENCE_SEC) -> dict[str, Any]:
        """Returns the run, once it has come that far."""
        return until(lambda: self.run(run_id), lambda run: run["status"] == status, within_sec)

    def ran(self, task_id: str, within_sec: float = PATIENCE_SEC) -> dict[str, Any]:
        """Returns the run of a one-off task, once it has its outcome."""
        task = until(
            lambda: self.get(f"/v1/tasks/{task_id}"),
            lambda seen: seen["run"] and seen["run"]["status"] in FINAL,
            within_sec,
        )
        return dict(task["run"])

    def with_key(self, role: str, **fields: object) -> User:
        """Returns a colleague of the same tenant."""
        made = self.said(201, "POST", "/v1/keys", {"role": role, **fields})
        return User(self.url, made["key"], self.tenant, self.operator)


def until(
    look: Callable[[], _Got],
    reached: Callable[[_Got], object],
    within_sec: float = PATIENCE_SEC,
    step_sec: float = 0.7,
) -> _Got:
    """Looks again until it is so; what was seen last says why it never was."""
    deadline = time.monotonic() + within_sec
    while not reached(seen := look()):
        assert time.monotonic() < deadline, f"not so after {within_sec} s: {seen}"
        assert not over.wait(step_sec), "the tests are over"
    return seen


def pause_for(seconds: float) -> None:
    """Lets time pass, as long as the tests go on."""
    assert not over.wait(max(0, seconds)), "the tests are over"


def pause_until(instant: float) -> None:
    pause_for(instant - time.time())


def instant(seconds: float) -> str:
    """Returns a whole second as the API writes it."""
    return datetime.fromtimestamp(int(seconds), UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def seconds(text: str) -> float:
    """Returns the instant that the API wrote."""
    return datetime.fromisoformat(text).timestamp()
