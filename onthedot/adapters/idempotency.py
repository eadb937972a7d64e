"""What is remembered of requests that may come twice; whoever writes first has them."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError

from onthedot.adapters import aws
from onthedot.core.attributes import plain_item, typed, typed_item
from onthedot.core.idempotency import Once

_REFUSED = "ConditionalCheckFailedException"
_NEW = "attribute_not_exists(#p)"
# The store takes its time with what has expired.
_FORGOTTEN = "#e <= :sec"


def begin(once: Once, now_ms: int) -> dict[str, Any] | None:
    """Take a request on; or give what is known of the same one before."""
    try:
        aws.dynamodb(
            "put_item",
            TableName=aws.table("access"),
            Item=typed_item(once.item(now_ms)),
            ConditionExpression=f"{_NEW} OR {_FORGOTTEN}",
            ExpressionAttributeNames={"#p": "pk", "#e": "expires_at"},
            ExpressionAttributeValues=typed_item({":sec": now_ms // 1000}),
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    except ClientError as refusal:
        if refusal.response["Error"]["Code"] != _REFUSED:
            raise
        found: dict[str, Any] = refusal.response.get("Item") or {}
        return plain_item(found) or _read(once)
    return None


def take_over(once: Once, before: dict[str, Any]) -> bool:
    """Go on with a request that was abandoned; only one of many may."""
    request = {
        "UpdateExpression": "SET #l = :until",
        "ExpressionAttributeNames": {"#l": "locked_until_ms"},
        "ExpressionAttributeValues": typed_item({":until": once.locked_until_ms}),
    }
    return _while("update_item", once, request, seen=before["locked_until_ms"])


def finish(once: Once, answer: bytes) -> None:
    """Keep the answer, unless another has taken the request on meanwhile."""
    request = {
        "UpdateExpression": "SET #s = :done, #a = :answer",
        "ExpressionAttributeNames": {"#s": "state", "#a": "answer", "#l": "locked_until_ms"},
        "ExpressionAttributeValues": typed_item({":done": "done", ":answer": answer}),
    }
    _while("update_item", once, request, seen=once.locked_until_ms)


def abandon(once: Once, now_ms: int) -> None:
    """Let another try go on with it at once."""
    request = {
        "UpdateExpression": "SET #l = :now",
        "ExpressionAttributeNames": {"#l": "locked_until_ms"},
        "ExpressionAttributeValues": typed_item({":now": now_ms}),
    }
    _while("update_item", once, request, seen=once.locked_until_ms)


def _while(operation: str, once: Once, request: dict[str, Any], *, seen: int) -> bool:
    """Write only while the lock is the one that was seen."""
    values = {**request.get("ExpressionAttributeValues", {}), ":seen": typed(seen)}
    whole = request | {
        "TableName": aws.table("access"),
        "Key": typed_item(once.key()),
        "ConditionExpression": "#l = :seen",
        "ExpressionAttributeValues": values,
    }
    try:
        aws.dynamodb(operation, **whole)
    except ClientError as refusal:
        if refusal.response["Error"]["Code"] != _REFUSED:
            raise
        return False
    return True


def _read(once: Once) -> dict[str, Any]:
    """For a store that does not say what was in the way."""
    answer = aws.dynamodb(
        "get_item",
        TableName=aws.table("access"),
        Key=typed_item(once.key()),
        ConsistentRead=True,
    )
    return plain_item(answer["Item"]) if "Item" in answer else {}
