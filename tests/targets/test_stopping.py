"""Executions that are stopped: by MiniStack, and what is made of AWS's refusals."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest

from onthedot.store import aws
from onthedot.targets.attempt_outcome import Dead, Done
from onthedot.targets.aws import stepfunctions
from onthedot.targets.call import Call
from tests.contract import engines
from tests.engines.place import surroundings
from tests.targets.receiver import call_fields, receiving
from tests.targets.standing import MACHINE, ROLE, WAITING_MACHINE


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch) -> Iterator[pytest.MonkeyPatch]:
    with surroundings(monkeypatch):
        aws.patient_client.cache_clear()
        yield monkeypatch
    aws.patient_client.cache_clear()


def started(name: str, definition: object) -> str:
    client = aws.client("stepfunctions")
    machine = client.create_state_machine(
        name=name, definition=json.dumps(definition), roleArn=ROLE
    )
    arn = client.start_execution(stateMachineArn=machine["stateMachineArn"])["executionArn"]
    return str(arn)


def status(arn: str) -> str:
    return str(aws.client("stepfunctions").describe_execution(executionArn=arn)["status"])


def test_an_execution_is_stopped_and_stopping_it_again_is_nothing(
    settings: pytest.MonkeyPatch, tmp_path_factory: pytest.TempPathFactory
) -> None:
    with engines.ministack(tmp_path_factory.mktemp("ministack")) as url:
        settings.setenv("AWS_ENDPOINT_URL", url)
        running, over = started("waits", WAITING_MACHINE), started("ends", MACHINE)
        while status(over) == "RUNNING":
            time.sleep(0.05)

        assert [stepfunctions.stop(running), status(running)] == [True, "ABORTED"]
        assert [stepfunctions.stop(running), status(running)] == [True, "ABORTED"]
        assert [stepfunctions.stop(over), status(over)] == [True, "SUCCEEDED"]
        assert stepfunctions.stop(over + "-missing")


@pytest.mark.parametrize(
    ("code", "status", "done"),
    [
        ("AccessDeniedException", 400, True),
        ("ExecutionDoesNotExist", 400, True),
        ("StateMachineTypeNotSupported", 400, True),
        ("ThrottlingException", 400, False),
        ("InternalFailure", 500, False),
    ],
)
def test_a_refusal_that_passes_is_tried_again(
    settings: pytest.MonkeyPatch, *, code: str, status: int, done: bool
) -> None:
    with receiving() as receiver:
        settings.setenv("AWS_ENDPOINT_URL", receiver.url)
        receiver.answers = [(status, {}, json.dumps({"__type": code}).encode())]

        assert stepfunctions.stop("arn:aws:states:us-east-1:1:execution:any:one") is done


def test_an_express_execution_is_not_waited_for_because_nobody_is_told_its_end(
    settings: pytest.MonkeyPatch,
) -> None:
    arn = "arn:aws:states:us-east-1:1:express:any:one:two"
    target = {
        "type": "stepfunctions",
        "state_machine_arn": "arn:aws:states:us-east-1:1:stateMachine:any",
    }
    with receiving() as receiver:
        settings.setenv("AWS_ENDPOINT_URL", receiver.url)
        receiver.answers = [(200, {}, json.dumps({"executionArn": arn, "startDate": 1}).encode())]
        started, waited_for = (
            stepfunctions.call(Call(**call_fields(attempt=1, target=target | {"wait": wait})))
            for wait in (False, True)
        )

    assert started == Done({"execution": arn})
    assert isinstance(waited_for, Dead)
    assert waited_for.error is not None
    assert f"{arn} was started" in waited_for.error["message"]


def test_an_address_where_nobody_answers_is_tried_again(settings: pytest.MonkeyPatch) -> None:
    settings.setenv("AWS_ENDPOINT_URL", "http://127.0.0.1:1")

    assert not stepfunctions.stop("arn:aws:states:us-east-1:1:execution:any:one")
