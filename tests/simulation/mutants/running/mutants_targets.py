"""Planted faults of calls to AWS's services: what they are told, and what is made of their word."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

from onthedot.api.runs import leases
from onthedot.records import own_resources
from onthedot.records.runs.run_status import Reason
from onthedot.store import aws, blobs, payloads
from onthedot.store.access import waiting_polls
from onthedot.targets.attempt_outcome import Again, Answer, Dead, Done, error_of
from onthedot.targets.aws import eventbridge, function, refusals, sns, sqs
from onthedot.targets.call import Call, run_fields
from onthedot.targets.templates import Unfit
from onthedot.work import target_call, target_table
from tests.simulation.mutants.mutant import Mutant, Patch

Request = dict[str, Any]


class _Altered:
    """AWS's clients as a target has them, but for what is asked, what is answered, and patience."""

    def __init__(
        self,
        asks: Callable[[Request], Request] = lambda request: request,
        hears: Callable[[Request], Request] = lambda answer: answer,
        patience_sec: int = 0,
    ) -> None:
        self._asks, self._hears, self._patience_sec = asks, hears, patience_sec

    def __getattr__(self, name: str) -> Any:
        return getattr(aws, name)

    def patient_client(self, service: str, seconds: int) -> Any:
        return _Client(self, aws.patient_client(service, self._patience_sec or seconds))

    def carry_out(self, call: Callable[..., Request], request: Request) -> Request:
        return self._hears(call(**self._asks(request)))


class _Client:
    """One of them."""

    def __init__(self, altered: _Altered, client: Any) -> None:
        self._altered, self._client = altered, client

    def __getattr__(self, operation: str) -> Callable[..., Request]:
        call = getattr(self._client, operation)
        return lambda **request: self._altered.carry_out(call, request)


def _answering(change: Callable[[Answer], Answer]) -> list[Patch]:
    """Each target's answer is taken for another one."""
    kinds = ("sqs", "sns", "lambda", "eventbridge")
    changed = {kind: _changing(target_table.TARGETS[kind], change) for kind in kinds}
    return [(target_table, "TARGETS", {**target_table.TARGETS, **changed})]


def _changing(
    target: Callable[[Call], Answer], change: Callable[[Answer], Answer]
) -> Callable[[Call], Answer]:
    return lambda call: change(target(call))


def throttle_is_final() -> list[Patch]:
    """A refusal is final whatever its code, where its status is the caller's fault."""
    return [(refusals, "_PASSING", ("nothing",))]


def refused_again() -> list[Patch]:
    """What AWS refuses for good is tried again."""
    original = refusals.answer

    def answer(code: str, message: str, status: int) -> Answer:
        said = original(code, message, status)
        return Again(Reason.FAILED, said.error) if isinstance(said, Dead) else said

    return [(refusals, "answer", answer)]


def denied_is_any() -> list[Patch]:
    """Access denied is a refusal like any other."""
    return [(refusals, "_FORBIDDEN", ())]


def entry_unread() -> list[Patch]:
    """An answer of 200 is a success, whatever it says of its entry."""

    def hears(answer: Request) -> Request:
        return {"Entries": [{"EventId": "none"} | each for each in map(_clean, answer["Entries"])]}

    def _clean(entry: Request) -> Request:
        return {name: said for name, said in entry.items() if name != "ErrorCode"}

    return [(eventbridge, "aws", _Altered(hears=hears))]


def error_unread() -> list[Patch]:
    """What a function raised is taken for its result."""

    def hears(answer: Request) -> Request:
        return {name: said for name, said in answer.items() if name != "FunctionError"}

    return [(function, "aws", _Altered(hears=hears))]


def impatient() -> list[Patch]:
    """A function is waited for as long as a queue is."""
    return [(function, "aws", _Altered(patience_sec=3))]


def each_attempt_another() -> list[Patch]:
    """In a FIFO queue an attempt suppresses only itself."""

    def asks(request: Request) -> Request:
        if "MessageDeduplicationId" not in request:
            return request
        attempt = request["MessageAttributes"]["attempt"]["StringValue"]
        named = f"{request['MessageDeduplicationId']}-{attempt}"
        return request | {"MessageDeduplicationId": named}

    return [(sqs, "aws", _Altered(asks=asks))]


def ungrouped() -> list[Patch]:
    """All messages of a topic wait for one another."""

    def asks(request: Request) -> Request:
        known = "MessageGroupId" in request
        return request | ({"MessageGroupId": "all"} if known else {})

    return [(sns, "aws", _Altered(asks=asks))]


def always_first() -> list[Patch]:
    """A receiver is told that each attempt is the first."""

    def asks(request: Request) -> Request:
        first = {"DataType": "Number", "StringValue": "1"}
        return request | {"MessageAttributes": request["MessageAttributes"] | {"attempt": first}}

    return [(sns, "aws", _Altered(asks=asks))]


def own_unknown() -> list[Patch]:
    """The scheduler's own queues are called as any other."""
    return [(own_resources, "called", lambda *_: None)]


def late_is_done() -> list[Patch]:
    """No answer is taken for a success."""

    def change(answer: Answer) -> Answer:
        late = isinstance(answer, Again) and answer.outcome == "timed_out"
        return Done() if late else answer

    return _answering(change)


def late_is_final() -> list[Patch]:
    """No answer is taken for a refusal."""

    def change(answer: Answer) -> Answer:
        late = isinstance(answer, Again) and answer.outcome == "timed_out"
        return Dead(Reason.PERMANENT, error_of("TimedOut", "no answer")) if late else answer

    return _answering(change)


def result_lost() -> list[Patch]:
    """What a service said of its success is not kept."""
    return _answering(lambda answer: Done() if isinstance(answer, Done) else answer)


def unfit_again() -> list[Patch]:
    """What cannot be sent is tried again."""

    def unfit(unfit: Unfit) -> Any:
        return Again(Reason.FAILED, error_of(unfit.kind, str(unfit)))

    return [(target_call, "_unfit", unfit)]


def filled_at_first() -> list[Patch]:
    """Every attempt is filled in as the first."""
    return [(target_call, "run_fields", lambda call: run_fields(replace(call, attempt=1)))]


def unput() -> list[Patch]:
    """An item names a payload that nobody has put."""
    return [(payloads, "blobs", _Bucket())]


class _Bucket:
    """A bucket that keeps nothing."""

    put = staticmethod(lambda _key, _text: None)
    get = staticmethod(blobs.get)


def aside_unread() -> list[Patch]:
    """What was put aside counts as gone."""
    return [(blobs, "ASIDE", "elsewhere/")]


def gone_again() -> list[Patch]:
    """A payload that is gone is looked for at every attempt."""
    original = target_call.complete

    def complete(call: Call) -> Call | Dead:
        whole = original(call)
        if isinstance(whole, Dead) and whole.reason == "payload_unreadable":
            raise LookupError("its object is gone")
        return whole

    return [(target_call, "complete", complete)]


def own_payload_lost() -> list[Patch]:
    """A run is given its task's payload, whatever its caller gave it."""
    return [(target_call, "_payload", lambda _run, task: task.payload)]


def impatient_poll() -> list[Patch]:
    """A worker that would wait for a run is told at once that there is none."""
    return [(leases, "_LOOK_SEC", 100.0)]


def sleepy_poll() -> list[Patch]:
    """Who waits is looked after now and then only."""
    return [(leases, "_LOOK_SEC", 6.0)]


def poll_kept() -> list[Patch]:
    """A poll that is over keeps its place."""
    return [(waiting_polls, "leave", lambda *_: None)]


def any_poll() -> list[Patch]:
    """As many wait as like."""
    return [(waiting_polls, "join", lambda *_, **__: True)]


_PLANTED: tuple[tuple[str, str, Callable[[], list[Patch]], tuple[str, ...]], ...] = (
    ("throttle is final", "throttling is tried again", throttle_is_final, ("queues", "functions")),
    ("refusal again", "a refusal for good ends the run", refused_again, ("queues", "buses")),
    ("denied is any", "access denied is target_forbidden", denied_is_any, ("topics", "queues")),
    ("entry unread", "an entry has its own error", entry_unread, ("buses",)),
    ("error unread", "what a function raises fails", error_unread, ("functions",)),
    ("impatient", "a function has its task's time", impatient, ("functions",)),
    ("each another", "a run is known again in FIFO", each_attempt_another, ("queues",)),
    ("ungrouped", "messages are grouped by task", ungrouped, ("topics",)),
    ("always first", "a receiver is told the attempt", always_first, ("topics",)),
    ("own unknown", "0116: no run calls us", own_unknown, ("doomed",)),
    ("late is done", "no answer is no success", late_is_done, ("queues",)),
    ("late is final", "no answer is tried again", late_is_final, ("queues",)),
    ("result lost", "what a service said is kept", result_lost, ("queues", "functions")),
    ("unfit again", "what cannot be sent is dead", unfit_again, ("doomed",)),
    ("unput", "0033: put, then named", unput, ("laden",)),
    ("aside unread", "0033: aside is not gone", aside_unread, ("laden",)),
    ("gone again", "0033: what is gone ends the run", gone_again, ("laden",)),
    ("own payload lost", "a run has its own payload", own_payload_lost, ("laden",)),
    ("impatient poll", "who waits is kept waiting", impatient_poll, ("waiting",)),
    ("sleepy poll", "the API looks each second", sleepy_poll, ("waiting",)),
    ("poll kept", "a poll gives its place back", poll_kept, ("waiting",)),
    ("any poll", "only some polls may wait", any_poll, ("waiting",)),
    ("filled at first", "templates are of the attempt", filled_at_first, ("queues",)),
)
SERVICE_FAULTS = tuple(Mutant(*each) for each in _PLANTED)
