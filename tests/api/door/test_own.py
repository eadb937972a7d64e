"""The scheduler's own queues are nobody's targets: not at the door, and not at the call."""

from __future__ import annotations

import os

import pytest

from onthedot.store import clock
from onthedot.targets.attempt_outcome import Dead
from onthedot.targets.call import Call
from onthedot.work.target_call import deliver
from tests.api.kit import Api
from tests.targets.receiver import call_fields

QUEUES = ("HIGH", "NORMAL", "LOW", "DEAD")


def own_queue(name: str) -> dict[str, str]:
    return {"type": "sqs", "queue_url": os.environ[f"{name}_QUEUE_URL"]}


@pytest.mark.parametrize("name", QUEUES)
@pytest.mark.parametrize("added", ["", "/", "?x=1"])
def test_a_queue_of_ours_cannot_be_registered(api: Api, name: str, added: str) -> None:
    target = own_queue(name)
    target["queue_url"] += added
    api.call("POST /v1/schedules", {"name": "one", "cron": "0 9 * * *", "target": MAIL})

    answers = [
        api.call("POST /v1/schedules", {"name": "new", "cron": "0 9 * * *", "target": target}),
        api.call("PATCH /v1/schedules/one", {"target": target}, if_match="*"),
        api.call("POST /v1/tasks", {"target": target}),
    ]
    (one,) = api.call("POST /v1/tasks/batch", {"tasks": [{"target": target}]}).body["data"]

    assert [(each.status, each.body["code"]) for each in answers] == [
        (422, "target_forbidden")
    ] * len(answers)
    assert (one["status"], one["problem"]["code"]) == (422, "target_forbidden")
    (fault,) = answers[0].body["errors"]
    assert fault["pointer"] == "/target/queue_url"
    assert "belongs to the scheduler: expected one of yours" in fault["message"]


MAIL = {"type": "sqs", "queue_url": "https://sqs.eu-west-1.amazonaws.com/1/mail"}


@pytest.mark.usefixtures("api")
@pytest.mark.parametrize("name", QUEUES)
def test_one_that_was_registered_before_is_not_called(name: str) -> None:
    given = call_fields(target=own_queue(name), deadline_ms=clock.now_ms() + 30_000)

    answer = deliver(Call(**given))

    assert isinstance(answer, Dead)
    assert answer.reason == "target_forbidden"
    assert answer.error is not None
    assert answer.error["type"] == "TargetForbidden"
