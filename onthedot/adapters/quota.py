"""A tenant's requests of one minute, counted down in blocks: the store gives the last one out."""

from __future__ import annotations

from botocore.exceptions import ClientError

from onthedot.adapters import aws
from onthedot.core.access import tenant_key
from onthedot.core.attributes import plain_item, typed_item


def requests_per_minute(tenant_id: str) -> int | None:
    """Read the tenant's own limit, if it has one."""
    answer = aws.dynamodb(
        "get_item", TableName=aws.table("access"), Key=typed_item(tenant_key(tenant_id))
    )
    found = plain_item(answer["Item"]) if "Item" in answer else {}
    limit: int | None = found.get("requests_per_min")
    return limit


def take(tenant_id: str, *, minute: int, most: int, block: int) -> tuple[int, int]:
    """Take a block, or what is left of one; give it and what remains."""
    for size in (min(block, most), 1):
        left = _go_on(tenant_id, minute, size)
        if left is None:
            left = _open(tenant_id, minute, size, most)
        if left is not None:
            return size, left
    return 0, 0


def _go_on(tenant_id: str, minute: int, size: int) -> int | None:
    values = {":m": minute, ":n": size}
    return _take(tenant_id, "SET #l = #l - :n", "#m = :m AND #l >= :n", values)


def _open(tenant_id: str, minute: int, size: int, most: int) -> int | None:
    """A minute that nobody has begun yet is begun full."""
    values = {":m": minute, ":left": most - size}
    return _take(
        tenant_id, "SET #m = :m, #l = :left", "attribute_not_exists(#m) OR #m < :m", values
    )


def _take(tenant_id: str, update: str, condition: str, values: dict[str, int]) -> int | None:
    try:
        answer = aws.dynamodb(
            "update_item",
            TableName=aws.table("access"),
            Key=typed_item({**tenant_key(tenant_id), "sk": "rate"}),
            UpdateExpression=update,
            ConditionExpression=condition,
            ExpressionAttributeNames={"#m": "minute", "#l": "left"},
            ExpressionAttributeValues=typed_item(values),
            ReturnValues="UPDATED_NEW",
        )
    except ClientError as refusal:
        if refusal.response["Error"]["Code"] != "ConditionalCheckFailedException":
            raise
        return None
    left: int = plain_item(answer["Attributes"])["left"]
    return left
