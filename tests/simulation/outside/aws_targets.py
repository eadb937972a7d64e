"""SQS, SNS, Lambda and EventBridge as the user has them; each asking is kept in true time.
What they answer is drawn for each attempt: done and not answered, or slower than its caller waits.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field
from functools import partial
from io import BytesIO
from random import Random
from typing import TYPE_CHECKING, Any

from botocore.exceptions import BotoCoreError, ClientError, HTTPClientError, ReadTimeoutError

from onthedot.records.runs.run_status import Reason
from onthedot.store.aws import BrokenOff
from onthedot.targets.attempt_outcome import CLOSED, Again, Answer, Done, Stopped
from onthedot.targets.call import Call
from onthedot.work import target_table
from tests.simulation.outside import functions, target_notes, target_words
from tests.simulation.outside.call_breaks import waited
from tests.simulation.outside.outside import Receipt

if TYPE_CHECKING:
    from tests.simulation.stage import Stage

# The types of target that call each service, and the operation by which they do.
TYPES = ("sqs", "sns", "lambda", "eventbridge")
OPERATIONS = {
    "sqs": "send_message",
    "sns": "publish",
    "lambda": "invoke",
    "events": "put_events",
}
FIFO_SEC = 300
_HANGS, _HANGS_SEC = 0.04, 40.0
# How often a service has a bad time, in which it throttles all callers, and for how long.
_BAD_TIME, _BAD_SEC = 0.4, (8.0, 30.0)
_BEGINS_SEC = (30.0, 200.0)


@dataclass(slots=True)
class Verdict:
    """What a service makes of one call: its answer or refusal, when that comes, what it means."""

    means: Answer
    answer: dict[str, Any] = field(default_factory=dict)
    error: ClientError | None = None
    waits_sec: float = 0.0


class AwsTargets:
    """All of them; `target` calls the real target, which calls us by a client."""

    def __init__(self, stage: Stage, seed: int) -> None:
        self._stage = stage
        self._seed = seed
        # Which call of a target a process is in.
        self._calls: dict[str, Call] = {}
        self._bad = {service: _bad_time(seed, service) for service in OPERATIONS}

    def target(self, call: Call) -> Answer:
        """Lets the real target of that type make the call."""
        name = self._name
        self._calls[name] = call
        try:
            return target_table.TARGETS[call.target["type"]](call)
        finally:
            self._calls.pop(name, None)

    def client(self, service: str, seconds: int) -> Client:
        """Gives a client whose calls may take so long."""
        return Client(OPERATIONS[service], partial(self._ask, service, seconds))

    def _ask(self, service: str, seconds: int, request: dict[str, Any]) -> dict[str, Any]:
        """Returns one call as its caller has it: it waits for the answer no longer than it is
        patient.
        """
        call, world = self._calls[self._name], self._stage.world
        about = {"address": _address(service, request), "run": call.run_id, "nth": call.attempt}

        def received(**_: object) -> Verdict:
            return self._received(service, call, request)

        try:
            verdict: Verdict = world.effect(f"{service}.{OPERATIONS[service]}", received, about)
            # Yesterday's release knows of none.
            exchange = getattr(call, "exchange", None)
            waited(world, exchange, min(verdict.waits_sec, seconds))
            if verdict.waits_sec > seconds:
                raise ReadTimeoutError(endpoint_url=service)
        except BrokenOff as broken:
            self._stage.answered(call.run_id, call.attempt, Stopped(note=CLOSED))
            raise HTTPClientError(error=broken) from broken
        except (BotoCoreError, ClientError):
            # It may be done: nobody has heard of it.
            self._stage.answered(call.run_id, call.attempt, Again(Reason.TIMED_OUT))
            raise
        self._stage.answered(call.run_id, call.attempt, verdict.means)
        if verdict.error is not None:
            raise verdict.error
        return verdict.answer

    def _received(self, service: str, call: Call, request: dict[str, Any]) -> Verdict:
        """Returns what the service sees of it, and does, at one instant."""
        stage = self._stage
        now_ms = stage.world.epoch_us() / 1000
        receipt = Receipt(
            service, _address(service, request), call.run_id, call.attempt, now_ms, request
        )
        target_notes.note(
            stage,
            call.run_id,
            call.attempt,
            call.due_ms,
            payload=payload_of(receipt),
        )
        stage.outside.receipts.append(receipt)
        random = Random(f"service {self._seed} {service} {call.run_id} {call.attempt}")
        refusal = target_words.drawn(random, service)
        if self._bad[service][0] <= stage.world.now_us / 1_000_000 < self._bad[service][1]:
            refusal = target_words.PASSING[service][0]
        if refusal is not None:
            receipt.refused = refusal.code
            return Verdict(refusal.means, error=refusal.error(OPERATIONS[service]))
        if random.random() < _HANGS:
            if random.random() < 0.5:
                self._done(receipt, random)
            else:
                receipt.refused = "never came"
            return Verdict(Again(Reason.TIMED_OUT), waits_sec=_HANGS_SEC)
        return self._done(receipt, random)

    def _done(self, receipt: Receipt, random: Random) -> Verdict:
        """The service takes it, and says so in its own way."""
        if receipt.service == "events":
            return _put(receipt, random)
        if receipt.service == "lambda":
            timeout_sec = self._stage.task_of(receipt.run_id).timeout_sec
            return _invoked(receipt, random, timeout_sec)
        name = self._kept_name(receipt)
        result = {"message_id": name}
        return Verdict(Done(result), {"MessageId": name}, waits_sec=random.choice([0.0, 0.1, 1.5]))

    def _kept_name(self, receipt: Receipt) -> str:
        """Returns the name of the message; a FIFO one that has it already keeps no second one."""
        known = receipt.request.get("MessageDeduplicationId")
        kept = self._stage.outside.receipts
        for before in kept if known else ():
            recent = before.kept and receipt.at_ms - before.at_ms < FIFO_SEC * 1000
            alike = before.request.get("MessageDeduplicationId") == known
            if recent and alike and before.address == receipt.address:
                return before.kept
        receipt.kept = f"message-{len(kept)}"
        return receipt.kept

    @property
    def _name(self) -> str:
        running = self._stage.world.running
        assert running is not None, "only a process calls a target"
        return running.name


class Client:
    """Stands in the place of a client of boto, with the one operation that targets know."""

    exceptions = None

    def __init__(self, operation: str, ask: Callable[[dict[str, Any]], dict[str, Any]]) -> None:
        self._operation, self._ask = operation, ask

    def __getattr__(self, operation: str) -> Callable[..., dict[str, Any]]:
        assert operation == self._operation, operation
        return lambda **request: self._ask(request)


def payload_of(receipt: Receipt) -> Any:
    """Returns what of a request is the run's payload."""
    request = receipt.request
    match receipt.service:
        case "sqs":
            return json.loads(request["MessageBody"])
        case "sns":
            return json.loads(request["Message"])
        case "lambda":
            return json.loads(request["Payload"])
    return json.loads(request["Entries"][0]["Detail"])["payload"]


def _address(service: str, request: dict[str, Any]) -> str:
    match service:
        case "sqs":
            return str(request["QueueUrl"])
        case "sns":
            return str(request["TopicArn"])
        case "lambda":
            return str(request["FunctionName"])
    return str(request["Entries"][0]["EventBusName"])


def _put(receipt: Receipt, random: Random) -> Verdict:
    """An answer of 200 says of each entry by itself whether it was taken."""
    if random.random() < 0.15:
        refusal = random.choice(target_words.ENTRIES)
        receipt.refused = refusal.code
        entry = {"ErrorCode": refusal.code, "ErrorMessage": refusal.message}
        return Verdict(refusal.means, {"FailedEntryCount": 1, "Entries": [entry]})
    receipt.kept = f"event-{random.getrandbits(40)}"
    entry = {"EventId": receipt.kept}
    answer = {"FailedEntryCount": 0, "Entries": [entry]}
    return Verdict(Done({"event_id": receipt.kept}), answer)


def _invoked(receipt: Receipt, random: Random, timeout_sec: int) -> Verdict:
    """Lambda: an event is taken at once; a request waits for what the function says."""
    receipt.kept = f"request-{random.getrandbits(40)}"
    if receipt.request["InvocationType"] == "Event":
        return Verdict(Done(), {"StatusCode": 202, "Payload": BytesIO()})
    says = functions.drawn(random, receipt.run_id, receipt.attempt)
    takes_sec = functions.takes_sec(random, timeout_sec)
    receipt.until_ms = receipt.at_ms + takes_sec * 1000
    answer: dict[str, Any] = {"StatusCode": 200, "Payload": BytesIO(says.text.encode())}
    answer |= {"FunctionError": says.error} if says.error else {}
    return Verdict(says.means, answer, waits_sec=takes_sec)


def _bad_time(seed: int, service: str) -> tuple[float, float]:
    random = Random(f"bad time {seed} {service}")
    if random.random() >= _BAD_TIME:
        return 0.0, 0.0
    begins = random.uniform(*_BEGINS_SEC)
    return begins, begins + random.uniform(*_BAD_SEC)
