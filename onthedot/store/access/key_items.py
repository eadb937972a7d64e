"""Reads and writes the access table: keys, tenants and other items for the api function only."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError
from pynamodb.expressions.operand import Path

from onthedot.records.access import api_key
from onthedot.records.access.api_key import Key
from onthedot.records.attributes import typed_item
from onthedot.store import aws
from onthedot.store.access import access_table


def key(key_id: str) -> Key | None:
    """Reads an API key."""
    found = access_table.read(api_key.key_key(key_id))
    return api_key.parse(found) if found is not None else None


def note_use(key_id: str, now_ms: int) -> None:
    """Records when a key was last used. A refusal would only mean that the key is gone."""
    access_table.update(api_key.key_key(key_id), [Path("last_used_ms").set(now_ms)])


def count(tenant_id: str, number: int) -> bool:
    """Takes `number` tasks from those that a tenant has left, or gives some back. False: too few.

    The item counts what is left, not what exists. So one condition works for every limit.
    """
    request: dict[str, Any] = {
        "TableName": aws.table("access"),
        "Key": typed_item(api_key.tenant_key(tenant_id)),
        "UpdateExpression": "SET #l = if_not_exists(#l, :max) - :n",
        "ExpressionAttributeNames": {"#l": "tasks_left"},
        "ExpressionAttributeValues": typed_item({":n": number, ":max": api_key.TASKS_MAX}),
    }
    if number > 0:
        request["ConditionExpression"] = "attribute_not_exists(#l) OR #l >= :n"
    try:
        aws.dynamodb("update_item", **request)
    except ClientError as refusal:
        if refusal.response["Error"]["Code"] != "ConditionalCheckFailedException":
            raise
        return False
    return True


def secret(made: bytes) -> bytes:
    """Returns the bytes that seal plans and cursors. The first caller makes them."""
    found = access_table.read(api_key.SECRET_KEY)
    if found is None:
        written = access_table.put(api_key.SECRET_KEY | {"value": made}, access_table.NEW)
        return made if written.done else secret(made)
    value: bytes = found["value"]
    return value


def recounted(tenant_id: str, *, seen: int | None, left: int, now_ms: int) -> None:
    """Writes what a tenant has left, unless it was counted again meanwhile."""
    request: dict[str, Any] = {
        "TableName": aws.table("access"),
        "Key": typed_item(api_key.tenant_key(tenant_id)),
        "UpdateExpression": "SET #l = :l, #r = :r",
        "ConditionExpression": "#l = :seen",
        "ExpressionAttributeNames": {"#l": "tasks_left", "#r": "recounted_ms"},
        "ExpressionAttributeValues": typed_item({":l": left, ":r": now_ms, ":seen": seen}),
    }
    try:
        aws.dynamodb("update_item", **request)
    except ClientError as refusal:
        if refusal.response["Error"]["Code"] != "ConditionalCheckFailedException":
            raise
