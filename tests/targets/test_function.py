"""What a function of the user's says, in whatever language it was written."""

from __future__ import annotations

import json
from collections.abc import Iterator

import pytest

from onthedot.store import aws, clock
from onthedot.targets.attempt_outcome import Again, Answer, Done
from onthedot.targets.call import Call
from onthedot.work.target_call import deliver
from tests.engines.place import surroundings
from tests.targets.receiver import Receiver, call_fields, receiving

TARGET = {"type": "lambda", "function_arn": "arn:aws:lambda:us-east-1:1:function:any"}
FAILED = {"x-amz-function-error": "Unhandled"}


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """Yields what stands for Lambda."""
    with surroundings(monkeypatch), receiving() as receiver:
        monkeypatch.setenv("AWS_ENDPOINT_URL", receiver.url)
        aws.patient_client.cache_clear()
        yield receiver
    aws.patient_client.cache_clear()


def invoked(store: Receiver, said: bytes, headers: dict[str, str] | None = None) -> Answer:
    """Returns what comes of a call that is answered so."""
    store.answers = [(200, headers or {}, said)]
    return deliver(Call(**call_fields(target=TARGET, deadline_ms=clock.now_ms() + 30_000)))


@pytest.mark.parametrize(
    ("said", "result"),
    [
        (b'{"done":true}', {"done": True}),
        (b"", None),
        (b"null", None),
        (b"no JSON", "no JSON"),
        (b"[" * 2_000, "[" * 2_000),
    ],
)
def test_what_it_returns_is_the_result(store: Receiver, said: bytes, result: object) -> None:
    assert invoked(store, said) == Done(result)


@pytest.mark.parametrize(
    ("said", "kind", "message", "stack"),
    [
        (
            {"errorType": "KeyError", "errorMessage": "'a'", "stackTrace": ["  one\n", "  two\n"]},
            "KeyError",
            "'a'",
            "  one\n  two",
        ),
        (
            {"errorType": "TypeError", "errorMessage": "no", "trace": ["TypeError: no", "  at x"]},
            "TypeError",
            "no",
            "TypeError: no\n  at x",
        ),
        ({"errorMessage": "Task timed out"}, "FunctionError", "Task timed out", ""),
        ({"stackTrace": None, "trace": "text"}, "FunctionError", "", ""),
        ("killed", "FunctionError", "killed", ""),
    ],
)
def test_an_error_of_its_own_fails_the_attempt(
    store: Receiver, said: object, *, kind: str, message: str, stack: str
) -> None:
    answer = invoked(store, json.dumps(said).encode(), FAILED)

    assert isinstance(answer, Again)
    assert answer.error is not None
    found = {name: answer.error[name] for name in ("type", "message", "stack")}
    assert found == {"type": kind, "message": message, "stack": stack}
