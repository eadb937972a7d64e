"""Reads and writes single items of the table `access` through pynamodb, for the api function only.

pynamodb makes a request; `aws.dynamodb` sends it, as it sends all others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from botocore.exceptions import ClientError
from pynamodb.connection.base import Connection, MetaTable
from pynamodb.constants import ALL_NEW, ALL_OLD, GET_ITEM, ITEM, KEY, PUT_ITEM, UPDATE_ITEM
from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path
from pynamodb.expressions.update import Action

from onthedot.records import schema
from onthedot.records.attributes import plain_item, typed_item
from onthedot.store import aws

_REFUSED = "ConditionalCheckFailedException"
_METHODS = {GET_ITEM: "get_item", PUT_ITEM: "put_item", UPDATE_ITEM: "update_item"}
# Every item has a `pk`, so this means that the item does not exist.
NEW = Path("pk").does_not_exist()


@dataclass(frozen=True, slots=True)
class Written:
    """Whether a write was done. If asked, also the item as it is now, or the item in the way."""

    done: bool
    item: dict[str, Any]


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
    try:
        answer = _sent(operation, request)
    except ClientError as refusal:
        if refusal.response["Error"]["Code"] != _REFUSED:
            raise
        found = plain_item(refusal.response.get("Item") or {})
        # Not every store returns the item in the way.
        return Written(done=False, item=found or (read(key) or {} if shown else {}))
    return Written(done=True, item=plain_item(answer.get("Attributes") or {}))


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
