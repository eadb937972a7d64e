"""Reads and writes single items of the table `access` through pynamodb, for the api function only.

pynamodb makes a request; `aws.dynamodb` sends it, as it sends all others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from typing import Any

from pynamodb.connection.base import Connection, MetaTable
from pynamodb.constants import ALL_NEW, ALL_OLD, GET_ITEM, ITEM, KEY, PUT_ITEM, UPDATE_ITEM
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path
from pynamodb.expressions.update import Action

from onthedot.records import schema
from onthedot.records.access import api_key
from onthedot.records.access.api_key import Key
from onthedot.records.access.idempotency import Once
from onthedot.records.attributes import plain_item, typed_item
from onthedot.store import aws, conditional_writer
from onthedot.store.conditional_writer import Written

_METHODS = {GET_ITEM: "get_item", PUT_ITEM: "put_item", UPDATE_ITEM: "update_item"}
# Every item has a `pk`, so this means that the item does not exist.
NEW = Path("pk").does_not_exist()


def read(key: Mapping[str, str], *, consistent: bool = True) -> dict[str, Any] | None:
    answer = _sent(GET_ITEM, _request(key, consistent_read=consistent or None))
    return plain_item(answer["Item"]) if "Item" in answer else None


def put(
    item: Mapping[str, Any], condition: Condition | None = None, *, shown: bool = False
) -> Written:
    """Writes an item if the condition holds."""
    request = _request(item, part=ITEM, attributes=typed_item(item), condition=condition)
    return _written(PUT_ITEM, item, request, shown=shown)


def update(
    key: Mapping[str, str],
    actions: Sequence[Action],
    condition: Condition | None = None,
    *,
    shown: bool = False,
) -> Written:
    """Changes an item if the condition holds."""
    returned = ALL_NEW if shown else None
    request = _request(key, actions=actions, condition=condition, return_values=returned)
    return _written(UPDATE_ITEM, key, request, shown=shown)


def _written(
    operation: str, key: Mapping[str, Any], request: dict[str, Any], *, shown: bool
) -> Written:
    if shown:
        request["ReturnValuesOnConditionCheckFailure"] = ALL_OLD
    written = conditional_writer.judged(lambda: _sent(operation, request))
    if written.done or written.item or not shown:
        return written
    # Not every store returns the item in the way.
    return replace(written, item=read(key) or {})


def _request(key: Mapping[str, Any], *, part: str = KEY, **asked: Any) -> dict[str, Any]:
    name = aws.table("access")
    return _connection(name).get_operation_kwargs(name, key["pk"], key["sk"], key=part, **asked)


def _sent(operation: str, request: dict[str, Any]) -> dict[str, Any]:
    """Sends a request without pynamodb's methods, which replace botocore's errors by their own."""
    return _connection(request["TableName"]).dispatch(operation, request)


@cache
def _connection(table: str) -> Connection:
    made = _Connection()
    made.add_meta_table(MetaTable(schema.creation(schema.ACCESS, table)))
    return made


class _Connection(Connection):
    """Has no client: retries, timeouts, errors and clocks are the same as for all other calls."""

    def _make_api_call(self, operation_name: str, operation_kwargs: dict[str, Any]) -> Any:
        return aws.dynamodb(_METHODS[operation_name], **operation_kwargs)

    def get_consumed_capacity_map(self, _return_consumed_capacity: str) -> dict[str, Any]:
        """Asks for no consumed capacity, because no code reads it."""
        return {}


def key(key_id: str) -> Key | None:
    """Reads an API key."""
    found = read(api_key.key_key(key_id))
    return api_key.parse(found) if found is not None else None


def note_use(key_id: str, now_ms: int) -> None:
    """Records when a key was last used. A refusal would only mean that the key is gone."""
    update(api_key.key_key(key_id), [Path("last_used_ms").set(now_ms)])


def count(tenant_id: str, number: int) -> bool:
    """Takes `number` tasks from those that a tenant has left, or gives some back. False: too few.

    The item counts what is left, not what exists. So one condition works for every limit.
    """
    return conditional_writer.update_item(
        api_key.TABLE,
        api_key.tenant_key(tenant_id),
        "SET #l = if_not_exists(#l, :max) - :n",
        names={"#l": "tasks_left"},
        values={":n": number, ":max": api_key.TASKS_MAX},
        condition="attribute_not_exists(#l) OR #l >= :n" if number > 0 else "",
    )


def secret(made: bytes) -> bytes:
    """Returns the bytes that seal plans and cursors. The first caller makes them."""
    found = read(api_key.SECRET_KEY)
    if found is None:
        written = put(api_key.SECRET_KEY | {"value": made}, NEW)
        return made if written.done else secret(made)
    value: bytes = found["value"]
    return value


def recounted(tenant_id: str, *, seen: int | None, left: int, now_ms: int) -> None:
    """Writes what a tenant has left, unless it was counted again meanwhile."""
    conditional_writer.update_item(
        api_key.TABLE,
        api_key.tenant_key(tenant_id),
        "SET #l = :l, #r = :r",
        names={"#l": "tasks_left", "#r": "recounted_ms"},
        values={":l": left, ":r": now_ms, ":seen": seen},
        condition="#l = :seen",
    )


_LOCK = "locked_until_ms"


def begin(once: Once, now_ms: int) -> dict[str, Any] | None:
    """Takes a request on, or returns what is stored of the same request."""
    # DynamoDB deletes an expired item only some time later.
    forgotten = Path("expires_at") <= now_ms // 1000
    written = put(once.item(now_ms), NEW | forgotten, shown=True)
    return None if written.done else written.item


def take_over(once: Once, before: dict[str, Any]) -> bool:
    """Continues an abandoned request. False: another try was first."""
    seen = before[_LOCK]
    return _while(once, [Path(_LOCK).set(once.locked_until_ms)], seen=seen)


def finish(once: Once, answer: bytes) -> None:
    """Keeps the answer, unless another try has taken the request on meanwhile."""
    done = [Path("state").set("done"), Path("answer").set(answer)]
    _while(once, done, seen=once.locked_until_ms)


def abandon(once: Once, now_ms: int) -> None:
    """Lets another try continue the request at once."""
    _while(once, [Path(_LOCK).set(now_ms)], seen=once.locked_until_ms)


def _while(once: Once, actions: Sequence[Action], *, seen: int) -> bool:
    """Writes if the lock is still the one that was seen. False: it is not."""
    return update(once.key(), actions, Path(_LOCK) == seen).done
