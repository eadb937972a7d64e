"""Events on their way: to a topic and a bus of MiniStack's, and to a webhook that trusts them."""

from __future__ import annotations

import base64
import hashlib
import hmac
import json
from collections.abc import Iterator
from itertools import count

import pytest
from botocore.exceptions import ClientError

from onthedot.store import aws, table_reads
from onthedot.targets.http import secrets
from onthedot.upkeep.events import cloud_event, destinations, notifications
from onthedot.upkeep.events.cloud_event import Event
from onthedot.upkeep.events.notifications import keep, tell
from tests.contract import engines
from tests.engines.place import Place, surroundings
from tests.schedule.samples import run
from tests.targets.receiver import Receiver
from tests.targets.standing import bus_target, message, topic_target

_NUMBERS = count(1)
SECRET = f"whsec_{base64.b64encode(b'k' * 24).decode()}"


@pytest.fixture(scope="module")
def ministack_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with engines.ministack(tmp_path_factory.mktemp("ministack")) as url:
        yield url


@pytest.fixture
def settings(monkeypatch: pytest.MonkeyPatch, ministack_url: str) -> Iterator[pytest.MonkeyPatch]:
    with surroundings(monkeypatch):
        monkeypatch.setenv("AWS_ENDPOINT_URL", ministack_url)
        Place.made(monkeypatch)
        yield monkeypatch


def event(number: int = 0) -> Event:
    """Returns a run that died, each of another task."""
    died = run(status="dead", reason="permanent", ended_ms=1, task_id=f"sch_{number:026}")
    return cloud_event.of_run("dead", died)


def open_ones() -> int:
    return len(list(table_reads.rows(("task_id", cloud_event.OPEN), "scheduled_for", ("0", "~"))))


def test_a_topic_gets_each_event_once(settings: pytest.MonkeyPatch) -> None:
    topic = topic_target(f"alarms-{next(_NUMBERS)}")
    settings.setenv("EVENTS_TO", topic.target["topic_arn"])

    keep([event(), event()])
    first = tell()
    keep([event()])
    again = tell()

    assert first == {"events_told": 1, "events_refused": 0}
    assert again == {"events_told": 0, "events_refused": 0}
    got = topic.got()
    assert (got["id"], got["type"]) == (event().id, "onthedot.run.dead.v1")


def test_a_bus_gets_more_events_than_fit_into_a_call(settings: pytest.MonkeyPatch) -> None:
    name = f"alarms-{next(_NUMBERS)}"
    bus_target(name)
    arn = aws.client("events").describe_event_bus(Name=name)["Arn"]
    settings.setenv("EVENTS_TO", arn)

    keep([event(number) for number in range(23)])

    assert tell()["events_told"] == 23
    assert open_ones() == 0


def test_a_topic_that_is_not_there_keeps_its_events_for_later(
    settings: pytest.MonkeyPatch,
) -> None:
    settings.setenv("EVENTS_TO", "arn:aws:sns:us-east-1:000000000000:missing")

    keep([event()])

    assert tell() == {"events_told": 0, "events_refused": 1}
    assert open_ones() == 1


def test_a_webhook_gets_a_signed_event_and_one_that_fails_gets_it_again(
    settings: pytest.MonkeyPatch, receiver: Receiver
) -> None:
    settings.setenv("EVENTS_TO", f"{receiver.url}/answer")
    settings.setenv("EVENTS_SIGN_REF", "ssm:/hook")
    settings.setattr(secrets, "reveal", {"ssm:/hook": SECRET}.__getitem__)
    receiver.answers = [(500, {}, b""), (204, {}, b"")]

    keep([event()])
    told = [tell()["events_told"] for _ in range(3)]

    assert told == [0, 1, 0]
    first, second = receiver.got
    assert first.headers["webhook-id"] == second.headers["webhook-id"] == event().id
    assert json.loads(second.body)["subject"] == event().subject
    signed = f"{event().id}.{second.headers['webhook-timestamp']}.".encode() + second.body
    mine = base64.b64encode(hmac.digest(b"k" * 24, signed, hashlib.sha256)).decode()
    assert second.headers["webhook-signature"] == f"v1,{mine}"


def test_a_webhook_that_hangs_holds_the_audit_up_once_a_minute_and_no_other_place(
    settings: pytest.MonkeyPatch, receiver: Receiver
) -> None:
    settings.setattr(notifications, "_WEBHOOK_SEC", 0.3)
    settings.setenv("EVENTS_TO", f"{receiver.url}/hang,{receiver.url}/ok")

    keep([event(number) for number in range(20)])
    told = tell()

    assert told == {"events_told": 20, "events_refused": 20}
    assert [got.path for got in receiver.got].count("/hang") == 1


def test_an_event_that_a_webhook_refuses_keeps_none_of_the_others_from_it(
    settings: pytest.MonkeyPatch, receiver: Receiver
) -> None:
    settings.setenv("EVENTS_TO", f"{receiver.url}/answer")
    receiver.answers = [(400, {}, b""), (204, {}, b"")]

    keep([event(number) for number in range(3)])

    assert tell() == {"events_told": 2, "events_refused": 1}
    assert open_ones() == 1


def test_a_place_that_takes_nothing_leaves_room_for_the_others(
    settings: pytest.MonkeyPatch, receiver: Receiver
) -> None:
    settings.setattr(notifications, "AT_ONCE", 3)
    gone = "arn:aws:sns:us-east-1:000000000000:missing"
    settings.setenv("EVENTS_TO", gone)
    keep([event(number) for number in range(20)])
    settings.setenv("EVENTS_TO", f"{gone},{receiver.url}/ok")
    keep([event(number) for number in range(20, 24)])

    assert [tell()["events_told"] for _ in range(2)] == [3, 1]


@pytest.mark.parametrize("secret", ["whsec_no base64!", None])
def test_a_secret_that_cannot_sign_costs_the_events_a_minute_and_not_the_audit(
    settings: pytest.MonkeyPatch, receiver: Receiver, secret: str | None
) -> None:
    def reveal(_ref: str) -> str:
        if secret is None:
            raise ClientError({"Error": {"Code": "AccessDeniedException"}}, "GetParameter")
        return secret

    settings.setenv("EVENTS_TO", f"{receiver.url}/ok")
    settings.setenv("EVENTS_SIGN_REF", "ssm:/hook")
    settings.setattr(secrets, "reveal", reveal)

    keep([event()])

    assert tell() == {"events_told": 0, "events_refused": 1}
    assert receiver.got == []


@pytest.mark.usefixtures("settings")
def test_a_topic_s_message_says_its_type_for_filters() -> None:
    topic = topic_target(f"alarms-{next(_NUMBERS)}")
    queue = aws.client("sqs").get_queue_url(
        QueueName=topic.target["topic_arn"].rsplit(":", 1)[1] + "-behind"
    )["QueueUrl"]
    destinations.send(topic.target["topic_arn"], [event().body()])

    notification = json.loads(message(queue)["Body"])

    assert notification["MessageAttributes"]["type"]["Value"] == "onthedot.run.dead.v1"
