"""What a target's answer is where it cannot be called, or was called and said nothing."""

from __future__ import annotations

from typing import Any

import pytest
from botocore.exceptions import ReadTimeoutError

from onthedot.store import aws
from onthedot.targets.attempt_outcome import Again, Dead
from onthedot.targets.call import Call
from onthedot.targets.python import job_handlers
from onthedot.work.target_table import TARGETS
from tests.targets.receiver import call_fields

QUEUE = {"type": "sqs", "queue_url": "https://sqs.us-east-1.amazonaws.com/1/orders"}


def call(target: dict[str, Any]) -> object:
    return TARGETS[target["type"]](Call(**call_fields(target=target)))


def test_a_handler_that_no_deployment_has_is_dead(monkeypatch: pytest.MonkeyPatch) -> None:
    """Another attempt would find the same code."""
    monkeypatch.setattr(job_handlers, "handlers", dict)

    answer = call({"type": "python", "handler": "gone"})

    assert isinstance(answer, Dead)
    assert answer.reason == "handler_not_found"
    assert "no handler gone in jobs" in str(answer)


def test_a_target_that_took_a_call_and_said_nothing_is_asked_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    class Silent:
        """A client whose connection stays open."""

        def send_message(self, **_: object) -> object:
            raise ReadTimeoutError(endpoint_url="sqs")

    monkeypatch.setattr(aws, "patient_client", lambda *_: Silent())

    answer = call(QUEUE)

    assert isinstance(answer, Again)
    assert answer.outcome == "timed_out"
