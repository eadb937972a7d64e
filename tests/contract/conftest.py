"""Every test of this folder runs on each engine. What an engine does otherwise than AWS's
documentation says is marked `differs(engine="how")`: there the test's assertions must not hold.
"""

from __future__ import annotations

import time
from collections.abc import Generator, Iterator
from itertools import count
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.contract import engines
from tests.contract.kit import Mailbox, Table, create
from tests.simulation.stores.dynamo import Dynamo
from tests.simulation.stores.sqs import Sqs

_NUMBERS = count(1)


def pytest_configure(config: pytest.Config) -> None:
    config.addinivalue_line("markers", "differs(**engines): what an engine does otherwise than AWS")


@pytest.hookimpl(wrapper=True)
def pytest_pyfunc_call(pyfuncitem: pytest.Function) -> Generator[None, Any, Any]:
    """Where an engine is known to answer otherwise, the test's assertions must not hold."""
    call = getattr(pyfuncitem, "callspec", None)
    engine = "" if call is None else call.params.get("dynamodb") or call.params.get("sqs")
    known = [
        one.kwargs[engine] for one in pyfuncitem.iter_markers("differs") if engine in one.kwargs
    ]
    if not known:
        return (yield)
    try:
        yield
    except (AssertionError, ClientError, pytest.fail.Exception):
        return True
    pytest.fail(f"{engine} answers as documented now. It was known for: {known[0]}")


@pytest.fixture(scope="session")
def ministack_url(tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    with engines.ministack(tmp_path_factory.mktemp("ministack")) as url:
        yield url


@pytest.fixture(scope="session")
def dynoxide_url() -> Iterator[str]:
    with engines.dynoxide() as url:
        yield url


@pytest.fixture(scope="session", params=["simulated", "dynoxide", "ministack"])
def dynamodb(request: pytest.FixtureRequest) -> Any:
    if request.param == "simulated":
        return Dynamo(lambda: time.time_ns() // 1_000)
    return engines.client("dynamodb", request.getfixturevalue(f"{request.param}_url"))


@pytest.fixture
def table(dynamodb: Any) -> Iterator[Table]:
    name = f"contract-{next(_NUMBERS)}"
    create(dynamodb, name)
    yield Table(dynamodb, name)
    dynamodb.delete_table(TableName=name)


@pytest.fixture(scope="session", params=["simulated", "ministack"])
def sqs(request: pytest.FixtureRequest) -> Any:
    if request.param == "simulated":
        return Sqs(lambda: time.time_ns() // 1_000)
    return engines.client("sqs", request.getfixturevalue("ministack_url"))


@pytest.fixture
def mailbox(sqs: Any) -> Mailbox:
    number = next(_NUMBERS)
    dead_url = sqs.create_queue(QueueName=f"dead-{number}")["QueueUrl"]
    attributes = sqs.get_queue_attributes(QueueUrl=dead_url, AttributeNames=["QueueArn"])
    arn = attributes["Attributes"]["QueueArn"]
    url = sqs.create_queue(
        QueueName=f"queue-{number}",
        Attributes={
            "VisibilityTimeout": "30",
            "RedrivePolicy": f'{{"deadLetterTargetArn": "{arn}", "maxReceiveCount": "2"}}',
        },
    )["QueueUrl"]
    return Mailbox(sqs, url, dead_url)
