"""What is remembered of requests that may come twice; whoever writes first has them."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError

from onthedot.adapters import aws
from onthedot.core.attributes import plain_item, typed, typed_item
from onthedot.core.idempotency import Once

_REFUSED = "ConditionalCheckFailedException"
_NAMES = {"#p": "pk", "#e": "expires_at", "#s": "state", "#l": "locked_until_ms"}
_NEW = "attribute_not_exists(#p)"
# The store takes its time with what has expired.
_FORGOTTEN = "#e <= :sec"
# Whoever began it is gone, and never said how it ended.
_ABANDONED = "(#s = :begun AND #l <= :ms)"


def begin(once: Once, now_ms: int) -> dict[str, Any] | None:
    """Take a request on; or give what is known of the same one before."""
    try:
        aws.dynamodb(
            "put_item",
            TableName=aws.table("access"),
            Item=typed_item(once.item(now_ms)),
            ConditionExpression=f"{_NEW} OR {_FORGOTTEN} OR {_ABANDONED}",
            ExpressionAttributeNames=_NAMES,
            ExpressionAttributeValues=typed_item(
                {":sec": now_ms // 1000, ":ms": now_ms, ":begun": "in_progress"}
            ),
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    except ClientError as refusal:
        if refusal.response["Error"]["Code"] != _REFUSED:
            raise
        found: dict[str, Any] = refusal.response.get("Item") or {}
        return plain_item(found) or _read(once)
    return None


def finish(once: Once, answer: bytes) -> None:
    """Keep the answer, unless another has taken the request on meanwhile."""
    request = {
        "UpdateExpression": "SET #s = :done, #a = :answer",
        "ExpressionAttributeNames": {"#s": "state", "#a": "answer", "#l": "locked_until_ms"},
        "ExpressionAttributeValues": typed_item({":done": "done", ":answer": answer}),
    }
    _if_mine("update_item", once, request)


def release(once: Once) -> None:
    """Forget it: it may be tried again."""
    _if_mine("delete_item", once, {"ExpressionAttributeNames": {"#l": "locked_until_ms"}})


def _if_mine(operation: str, once: Once, request: dict[str, Any]) -> None:
    values = request.get("ExpressionAttributeValues", {})
    try:
        aws.dynamodb(
            operation,
            **request
            | {
                "TableName": aws.table("access"),
                "Key": typed_item(once.key()),
                "ConditionExpression": "#l = :mine",
                "ExpressionAttributeValues": {**values, ":mine": typed(once.locked_until_ms)},
            },
        )
    except ClientError as refusal:
        if refusal.response["Error"]["Code"] != _REFUSED:
            raise


def _read(once: Once) -> dict[str, Any]:
    """For a store that does not say what was in the way."""
    answer = aws.dynamodb(
        "get_item",
        TableName=aws.table("access"),
        Key=typed_item(once.key()),
        ConsistentRead=True,
    )
    return plain_item(answer["Item"]) if "Item" in answer else {}
