"""What pynamodb writes goes out by the client of all calls, and comes back as botocore has it."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import count
from typing import Any

import pytest
from botocore.client import BaseClient
from botocore.exceptions import ClientError
from pynamodb.expressions.operand import Path

from onthedot.records import schema
from onthedot.store import aws
from onthedot.store.access import access_table
from onthedot.store.access.access_table import NEW
from onthedot.store.call_allowance import TooManyCallsError
from onthedot.store.conditional_writer import Written
from tests.contract import engines

_NUMBERS = count(1)
KEY = {"pk": "tenant#acme", "sk": "-"}
ITEM = KEY | {"left": 5, "digest": b"\x00\xff", "queues": ["a", "b"]}


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    with engines.dynoxide() as found:
        yield found


@pytest.fixture(autouse=True)
def store(monkeypatch: pytest.MonkeyPatch, url: str) -> BaseClient:
    """Returns the client that `aws` gives, and a table of this test's own."""
    dynamodb = engines.client("dynamodb", url)
    monkeypatch.setattr(aws, "client", lambda service: {"dynamodb": dynamodb}[service])
    monkeypatch.setenv("ACCESS_TABLE", f"access-{next(_NUMBERS)}")
    dynamodb.create_table(**schema.creation(schema.ACCESS, aws.table("access")))
    return dynamodb


def test_what_is_written_is_read_with_all_its_types() -> None:
    assert access_table.read(KEY) is None

    written = access_table.put(ITEM)

    assert written == Written(done=True, item={})
    assert access_table.read(KEY) == ITEM
    assert access_table.read(KEY, consistent=False) == ITEM


def test_a_write_whose_condition_fails_is_not_done_and_says_what_was_in_the_way_if_asked() -> None:
    access_table.put(ITEM)
    another = KEY | {"left": 6}

    assert access_table.put(another, NEW) == Written(done=False, item={})
    assert access_table.put(another, NEW, shown=True) == Written(done=False, item=ITEM)
    assert access_table.read(KEY) == ITEM


def test_an_update_shows_the_item_after_it_or_in_its_way() -> None:
    access_table.put(ITEM)
    left = Path("left")

    first = access_table.update(KEY, [left.set(left - 4)], left >= 4, shown=True)
    second = access_table.update(KEY, [left.set(left - 4)], left >= 4, shown=True)

    assert first == Written(done=True, item=ITEM | {"left": 1})
    assert second == Written(done=False, item=ITEM | {"left": 1})


def test_an_update_where_nothing_is_has_nothing_in_its_way() -> None:
    exists = Path("left").exists()

    written = access_table.update(KEY, [Path("left").set(1)], exists, shown=True)

    assert written == Written(done=False, item={})
    assert access_table.read(KEY) is None


def test_any_other_refusal_passes_as_botocore_has_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("ACCESS_TABLE", "nowhere")

    for call in (access_table.read, access_table.put):
        with pytest.raises(ClientError) as refusal:
            call(KEY)
        assert refusal.value.response["Error"]["Code"] == "ResourceNotFoundException"


def test_its_calls_are_counted_as_all_others_are() -> None:
    with aws.allowing(1):
        access_table.read(KEY)
        with pytest.raises(TooManyCallsError):
            access_table.read(KEY)


def test_no_request_asks_for_more_than_the_caller_did(store: BaseClient) -> None:
    asked: list[dict[str, Any]] = []

    def keep(params: dict[str, Any], **_: object) -> None:
        asked.append(params)

    store.meta.events.register("before-parameter-build.dynamodb.*", keep)
    access_table.read(KEY)
    access_table.update(KEY, [Path("left").set(1)])

    read, write = asked
    assert read.keys() == {"TableName", "Key", "ConsistentRead"}
    assert "ReturnValues" not in write
    assert "ReturnConsumedCapacity" not in write
