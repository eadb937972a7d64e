"""The access table: keys, tenants and what else only the api function may touch."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError

from onthedot.adapters import aws
from onthedot.core import access
from onthedot.core.access import Key
from onthedot.core.attributes import plain_item, typed_item

_SAME = "attribute_not_exists(#p)"


def key(key_id: str) -> Key | None:
    """Read an API key."""
    answer = aws.dynamodb(
        "get_item",
        TableName=aws.table("access"),
        Key=typed_item(access.key_key(key_id)),
        ConsistentRead=True,
    )
    return access.parse(plain_item(answer["Item"])) if "Item" in answer else None


def _new(item: dict[str, Any]) -> dict[str, Any]:
    return {
        "TableName": aws.table("access"),
        "Item": typed_item(item),
        "ConditionExpression": _SAME,
        "ExpressionAttributeNames": {"#p": "pk"},
    }


def note_use(key_id: str, now_ms: int) -> None:
    """Remember when a key was last used; a refusal would only say that it is gone."""
    aws.dynamodb(
        "update_item",
        TableName=aws.table("access"),
        Key=typed_item(access.key_key(key_id)),
        UpdateExpression="SET #u = :u",
        ExpressionAttributeNames={"#u": "last_used_ms"},
        ExpressionAttributeValues=typed_item({":u": now_ms}),
    )


def count(tenant_id: str, number: int) -> bool:
    """Take so many tasks off what a tenant has left, or give some back; None left changes nothing.

    What is left is counted, not what is there: so one condition holds whatever the limit is.
    """
    request: dict[str, Any] = {
        "TableName": aws.table("access"),
        "Key": typed_item(access.tenant_key(tenant_id)),
        "UpdateExpression": "SET #l = if_not_exists(#l, :max) - :n",
        "ExpressionAttributeNames": {"#l": "tasks_left"},
        "ExpressionAttributeValues": typed_item({":n": number, ":max": access.TASKS_MAX}),
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
    """Give the bytes that plans and cursors are sealed with: whoever comes first has made them."""
    found = _secret()
    if found is not None:
        return found
    item = access.SECRET_KEY | {"value": made}
    try:
        aws.dynamodb("put_item", **_new(item))
    except ClientError as refusal:
        if refusal.response["Error"]["Code"] != "ConditionalCheckFailedException":
            raise
        return secret(made)
    return made


def _secret() -> bytes | None:
    answer = aws.dynamodb(
        "get_item",
        TableName=aws.table("access"),
        Key=typed_item(access.SECRET_KEY),
        ConsistentRead=True,
    )
    value: bytes | None = plain_item(answer["Item"])["value"] if "Item" in answer else None
    return value


def recounted(tenant_id: str, *, seen: int | None, left: int, now_ms: int) -> None:
    """Write what a tenant has left, unless it was counted otherwise meanwhile."""
    request: dict[str, Any] = {
        "TableName": aws.table("access"),
        "Key": typed_item(access.tenant_key(tenant_id)),
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
