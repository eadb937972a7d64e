"""Every kind of target in three states: one that works, one that may soon, one that never will."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any, Literal

import pytest
from botocore.config import Config
from botocore.session import get_session

from onthedot import Fail, OnTheDot
from onthedot.records.runs.run_status import Reason
from onthedot.store import aws
from onthedot.targets.attempt_outcome import Again, Answer, Dead, Done, error_of
from onthedot.targets.python import job_handlers
from onthedot.targets.python.context import Context
from tests.targets.receiver import Receiver
from tests.targets.standing import (
    bus_target,
    function_target,
    machine_target,
    queue_target,
    topic_target,
)

State = Literal["works", "may soon", "never will"]
Target = Mapping[str, Any]
# What the attempt's answer is where the test itself does the work.
ANSWERS: dict[str, Answer] = {
    "works": Done("done"),
    "may soon": Again(Reason.FAILED, error_of("NotNow", "not now")),
    "never will": Dead(Reason.PERMANENT, error_of("Never", "never")),
}
_STATUS = {"works": 200, "may soon": 500, "never will": 400}
_CODES = {"may soon": "InternalFailure", "never will": "ValidationException"}
app = OnTheDot()
_taken: list[Any] = []


@dataclass(frozen=True, slots=True)
class Trial:
    """A target, and what has come to it; None where nobody can look."""

    target: Target
    got: Callable[[], Any] | None


@app.job()
def take(ctx: Context) -> str:
    """Does as the payload's state says."""
    _taken.append(ctx.payload)
    if ctx.payload["state"] == "may soon":
        raise RuntimeError("not now")
    if ctx.payload["state"] == "never will":
        raise Fail("never")
    return "done"


@dataclass(frozen=True, slots=True)
class Ground:
    """Where trials are held."""

    settings: pytest.MonkeyPatch
    receiver: Receiver
    name: str

    def python(self, _state: State) -> Trial:
        self.settings.setattr(job_handlers, "handlers", lambda: {"take": take})
        return Trial({"type": "python", "handler": "take"}, lambda: _taken[-1])

    def http(self, state: State) -> Trial:
        url = f"{self.receiver.url}/status?code={_STATUS[state]}"
        return Trial({"type": "http", "url": url}, lambda: json.loads(self.receiver.got[-1].body))

    def callback(self, _state: State) -> Trial:
        url = f"{self.receiver.url}/status?code=202"
        target = {"type": "http", "url": url, "complete": "callback"}
        return Trial(target, lambda: json.loads(self.receiver.got[-1].body))

    def pull(self, _state: State) -> Trial:
        return Trial({"type": "pull", "queue": "gpu"}, None)

    def sqs(self, state: State) -> Trial:
        standing = queue_target(self.name)
        self._refuse("sqs", state)
        return Trial(standing.target, standing.got)

    def sns(self, state: State) -> Trial:
        standing = topic_target(self.name)
        self._refuse("sns", state)
        return Trial(standing.target, standing.got)

    def eventbridge(self, state: State) -> Trial:
        standing = bus_target(self.name)
        self._refuse("events", state)
        return Trial(standing.target, standing.got)

    def function(self, state: State) -> Trial:
        standing = function_target(self.name)
        self._refuse("lambda", state)
        return Trial(standing.target, None)

    def called(self, state: State) -> Trial:
        standing = function_target(self.name, "async")
        self._refuse("lambda", state)
        return Trial(standing.target, None)

    def machine(self, state: State) -> Trial:
        standing = machine_target(self.name, wait=False)
        self._refuse("stepfunctions", state)
        return Trial(standing.target, standing.got)

    def awaited(self, state: State) -> Trial:
        standing = machine_target(self.name, wait=True)
        self._refuse("stepfunctions", state)
        return Trial(standing.target, standing.got)

    def _refuse(self, service: str, state: State) -> None:
        """Lets the service itself refuse the worker's call: SNS speaks XML, the others JSON."""
        if state == "works":
            return
        code = _CODES[state]
        body = json.dumps({"__type": code, "message": "no"})
        if service == "sns":
            body = f"<ErrorResponse><Error><Code>{code}</Code></Error></ErrorResponse>"
        headers = {"x-amzn-errortype": code}
        self.receiver.answers = [(_STATUS[state], headers, body.encode())]
        refusing = cache(_client_of)
        url = f"{self.receiver.url}/answer"
        self.settings.setattr(aws, "patient_client", lambda name, _sec: refusing(name, url))


def _client_of(service: str, url: str) -> Any:  # noqa: ANN401 boto makes it
    once = Config(parameter_validation=False, retries={"total_max_attempts": 1})
    return get_session().create_client(service, endpoint_url=url, config=once)


# A kind's name, how its trials are made, and what its success is called.
KINDS: dict[str, tuple[Callable[[Ground, State], Trial], str]] = {
    "python": (Ground.python, "completed"),
    "http": (Ground.http, "completed"),
    "http callback": (Ground.callback, "completed"),
    "sqs": (Ground.sqs, "delivered"),
    "sns": (Ground.sns, "delivered"),
    "lambda": (Ground.function, "completed"),
    "lambda async": (Ground.called, "delivered"),
    "eventbridge": (Ground.eventbridge, "delivered"),
    "stepfunctions": (Ground.machine, "delivered"),
    "stepfunctions wait": (Ground.awaited, "completed"),
    "pull": (Ground.pull, "completed"),
}
