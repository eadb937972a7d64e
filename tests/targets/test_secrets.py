"""Secrets are looked up where their references say, kept for a minute, and seen when changed."""

from __future__ import annotations

import json
import time
from collections.abc import Iterator

import pytest
from botocore.exceptions import ClientError

from onthedot.store import aws
from onthedot.targets.http import secrets
from onthedot.targets.http.signatures import BadSecret
from tests.engines.place import surroundings
from tests.targets.receiver import Receiver, receiving

ARN = "arn:aws:secretsmanager:us-east-1:1:secret:hook"


@pytest.fixture
def store(monkeypatch: pytest.MonkeyPatch) -> Iterator[Receiver]:
    """Yields what stands for both of AWS's stores of secrets."""
    with surroundings(monkeypatch), receiving() as receiver:
        monkeypatch.setenv("AWS_ENDPOINT_URL", receiver.url)
        aws.client.cache_clear()
        secrets._kept.clear()  # noqa: SLF001 kept for as long as the process lives
        yield receiver
    aws.client.cache_clear()
    secrets._kept.clear()  # noqa: SLF001


def holds(store: Receiver, *answers: object) -> None:
    store.answers = [(200, {}, json.dumps(each).encode()) for each in answers]


def test_a_secret_and_a_parameter_are_asked_for_by_their_own_names(store: Receiver) -> None:
    holds(store, {"SecretString": "one"}, {"Parameter": {"Value": "two"}})

    assert [secrets.reveal(ARN), secrets.reveal("ssm:/hooks/key")] == ["one", "two"]
    assert [json.loads(got.body) for got in store.got] == [
        {"SecretId": ARN},
        {"Name": "/hooks/key", "WithDecryption": True},
    ]


def test_one_that_was_rotated_is_seen_once_its_minute_is_over(
    store: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1_000.0]
    monkeypatch.setattr(time, "monotonic", lambda: now[0])
    holds(store, {"SecretString": "old"}, {"SecretString": "new old"})

    seen = []
    for at in (0, 59, 61):
        now[0] = 1_000.0 + at
        seen.append(secrets.reveal(ARN))

    assert seen == ["old", "old", "new old"]
    assert len(store.got) == 2


def test_one_that_is_no_text_is_refused_by_its_name(store: Receiver) -> None:
    holds(store, {"SecretBinary": "aGlkZGVu"})

    with pytest.raises(BadSecret, match="holds bytes") as refused:
        secrets.reveal(ARN)

    assert "hidden" not in str(refused.value)


def test_what_may_not_be_read_is_not_remembered(store: Receiver) -> None:
    refusal = json.dumps({"__type": "AccessDeniedException"}).encode()
    store.answers = [(400, {}, refusal), (200, {}, b'{"SecretString":"one"}')]

    with pytest.raises(ClientError):
        secrets.reveal(ARN)

    assert secrets.reveal(ARN) == "one"
