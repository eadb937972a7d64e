"""What holds for every target, whichever its type; AWS's are MiniStack's."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from itertools import count
from typing import Any

import pytest
from botocore.config import Config

from onthedot.store import aws, clock
from onthedot.targets.attempt_outcome import Again, Answer, Awaiting, Dead, Done
from onthedot.targets.aws import stepfunctions
from onthedot.targets.call import Call
from onthedot.work.target_call import deliver
from tests.contract import engines
from tests.engines.place import surroundings
from tests.targets.receiver import Receiver, call_fields, receiving
from tests.targets.standing import (
    Standing,
    bus_target,
    function_target,
    machine_target,
    message,
    queue_target,
    topic_target,
    waiting_machine,
)

_NUMBERS = count(1)
PAYLOAD = {"order": 77, "text": "ü \u2028 {{}}", "deep": {"list": [1, 2.5, None, True]}}
KINDS = ("sqs", "sns", "eventbridge", "lambda", "lambda async", "machine", "machine wait")
MAKERS: dict[str, Callable[[str], Standing]] = {
    "sqs": queue_target,
    "sns": topic_target,
    "eventbridge": bus_target,
    "lambda": function_target,
    "lambda async": lambda name: function_target(name, "async"),
    "machine": lambda name: machine_target(name, wait=False),
    "machine wait": lambda name: machine_target(name, wait=True),
}
DELIVERED = ("sqs", "sns", "eventbridge", "machine")


@pytest.fixture(scope="module")
def ministack_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with engines.ministack(tmp_path_factory.mktemp("ministack")) as url:
        yield url


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch, ministack_url: str) -> Iterator[pytest.MonkeyPatch]:
    with surroundings(monkeypatch):
        aws.patient_client.cache_clear()
        # A broken standing is to be noticed, not to be waited for.
        monkeypatch.setattr(aws, "_CONFIG", aws._CONFIG.merge(Config(read_timeout=20)))  # noqa: SLF001
        monkeypatch.setenv("AWS_ENDPOINT_URL", ministack_url)
        yield monkeypatch
    aws.patient_client.cache_clear()


@pytest.fixture(params=KINDS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
def standing(settings: pytest.MonkeyPatch, kind: str) -> Standing:  # noqa: ARG001 the standings need it
    return MAKERS[kind](f"any-{next(_NUMBERS)}")


def called(target: dict[str, Any], **given: Any) -> Answer:  # noqa: ANN401 any field of a call
    """Calls a target that has a minute."""
    fields = {"payload": PAYLOAD, "deadline_ms": clock.now_ms() + 60_000}
    return deliver(Call(**call_fields(target=target, **(fields | given))))


def test_the_payload_arrives_as_it_was_given(standing: Standing, kind: str) -> None:
    answer = called(standing.target)

    if kind in DELIVERED:
        assert isinstance(answer, Done), answer
        assert standing.got() == PAYLOAD
    elif kind == "lambda":
        assert answer == Done({"got": PAYLOAD})
    elif kind == "lambda async":
        assert answer == Done()
    else:
        assert isinstance(answer, Awaiting), answer
        assert answer.reason == "execution"
        assert _ended(answer.waits_on) == Done(PAYLOAD)


def test_what_is_not_there_is_not_asked_for_again(standing: Standing, kind: str) -> None:
    answer = called(standing.missing)

    if kind == "eventbridge":
        # MiniStack takes events for any bus; AWS names the missing one in the entry's error.
        assert isinstance(answer, Done)
    else:
        assert isinstance(answer, Dead), answer
        assert answer.reason == "permanent"


def test_what_cannot_be_reached_is_tried_again(
    standing: Standing, settings: pytest.MonkeyPatch
) -> None:
    settings.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")
    for remembered in (aws.client, aws._session, aws.patient_client):  # noqa: SLF001
        remembered.cache_clear()

    assert _failed(called(standing.target)) == "failed"


@pytest.mark.parametrize(
    ("status", "code", "outcome"),
    [
        (400, "AccessDeniedException", "target_forbidden"),
        (400, "ThrottlingException", "failed"),
        (429, "TooManyRequestsException", "failed"),
        (500, "InternalFailure", "failed"),
        (503, "StandingUnavailable", "failed"),
        (400, "ValidationException", "permanent"),
    ],
)
def test_a_refusal_is_judged_alike(
    kind: str, settings: pytest.MonkeyPatch, *, status: int, code: str, outcome: str
) -> None:
    standing = MAKERS[kind](f"any-{next(_NUMBERS)}")
    with receiving() as receiver:
        _refuse(receiver, kind, status, code)
        settings.setenv("AWS_ENDPOINT_URL", receiver.url + "/answer")
        for remembered in (aws.client, aws._session, aws.patient_client):  # noqa: SLF001
            remembered.cache_clear()
        target = dict(standing.target)
        if "queue_url" in target:
            target["queue_url"] = receiver.url + "/answer"
        answer = called(target)

    assert len(receiver.got) == 1
    assert (answer.reason if isinstance(answer, Dead) else _failed(answer)) == outcome


def _refuse(receiver: Receiver, kind: str, status: int, code: str) -> None:
    """Refuses as the service does: SNS speaks XML, the others JSON."""
    if kind == "sns":
        body = f"<ErrorResponse><Error><Code>{code}</Code></Error></ErrorResponse>"
    else:
        body = f'{{"__type":"{code}","message":"no"}}'
    receiver.answers = [(status, {"x-amzn-errortype": code}, body.encode())]


def _failed(answer: Answer) -> str:
    assert isinstance(answer, Again), answer
    return answer.outcome


def _ended(arn: str) -> Answer:
    deadline = time.monotonic() + 60
    while (answer := stepfunctions.look(arn)) is None:
        assert time.monotonic() < deadline
        time.sleep(0.05)
    return answer


@pytest.mark.usefixtures("settings")
def test_a_function_that_raises_fails_the_attempt_with_its_own_error() -> None:
    standing = function_target(f"any-{next(_NUMBERS)}")

    answer = called(standing.target, payload={"fail": True})

    assert isinstance(answer, Again), answer
    assert answer.error is not None
    # MiniStack names every error alike; AWS names the exception.
    assert answer.error["message"] == "asked to fail"


def test_a_function_that_takes_too_long_times_out(settings: pytest.MonkeyPatch) -> None:
    service = function_target(f"any-{next(_NUMBERS)}")
    with receiving() as receiver:
        settings.setenv("AWS_ENDPOINT_URL", receiver.url + "/hang")
        for remembered in (aws.client, aws._session, aws.patient_client):  # noqa: SLF001
            remembered.cache_clear()
        receiver.answers = []
        answer = called(service.target, deadline_ms=clock.now_ms() + 1_000)

    assert _failed(answer) == "timed_out"


@pytest.mark.usefixtures("settings")
def test_an_execution_that_fails_fails_the_attempt_with_its_own_error() -> None:
    standing = machine_target(f"any-{next(_NUMBERS)}", wait=True, broken=True)
    started = called(standing.target)
    assert isinstance(started, Awaiting)

    answer = _ended(started.waits_on)

    assert isinstance(answer, Again)
    assert answer.error is not None
    assert (answer.error["type"], answer.error["message"]) == ("NoStock", "none is left")


@pytest.mark.usefixtures("settings")
def test_an_attempt_starts_one_execution_however_often_it_is_started() -> None:
    standing = machine_target(f"any-{next(_NUMBERS)}", wait=True)

    first, second = called(standing.target), called(standing.target)

    assert isinstance(first, Awaiting)
    assert first == second


@pytest.mark.usefixtures("settings")
def test_a_run_whose_execution_is_not_awaited_starts_one_in_all_its_attempts() -> None:
    standing = machine_target(f"any-{next(_NUMBERS)}", wait=False)

    first, second = called(standing.target), called(standing.target, attempt=3)

    assert isinstance(first, Done)
    assert isinstance(second, Done)
    # There is exactly one to be looked at.
    assert standing.got() == PAYLOAD


@pytest.mark.usefixtures("settings")
def test_what_a_lost_attempt_has_started_is_waited_for_and_not_started_beside() -> None:
    standing = waiting_machine(f"any-{next(_NUMBERS)}")

    lost = called(standing.target)
    taken_over = called(standing.target, attempt=3)
    assert isinstance(lost, Awaiting)
    stepfunctions.stop(lost.waits_on)
    anew = called(standing.target, attempt=3)

    assert taken_over == lost
    assert isinstance(anew, Awaiting)
    assert anew != lost


@pytest.mark.usefixtures("settings")
def test_what_a_lost_attempt_has_started_and_has_ended_is_the_answer() -> None:
    standing = machine_target(f"any-{next(_NUMBERS)}", wait=True)
    lost = called(standing.target)
    assert isinstance(lost, Awaiting)
    _ended(lost.waits_on)

    assert called(standing.target, attempt=3) == Done(PAYLOAD)


@pytest.mark.usefixtures("settings")
def test_a_message_names_its_run() -> None:
    standing = queue_target(f"any-{next(_NUMBERS)}")
    called(standing.target)

    attributes = message(standing.target["queue_url"])["MessageAttributes"]

    assert attributes["run_id"]["StringValue"] == "sch_A.20261118T120000Z"
    assert attributes["attempt"]["StringValue"] == "2"
