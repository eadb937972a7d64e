"""A tenant's requests of one minute, taken in blocks: the store gives the last one out."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from botocore.exceptions import ClientError

from onthedot.adapters import aws
from onthedot.core.access import tenant_key
from onthedot.core.attributes import plain_item, typed_item

# The former release counted down, in an item beside this one.
_SORT = "used"
_TRIES = 16


def requests_per_minute(tenant_id: str) -> int | None:
    """Read the tenant's own limit, if it has one."""
    answer = aws.dynamodb(
        "get_item", TableName=aws.table("access"), Key=typed_item(tenant_key(tenant_id))
    )
    found = plain_item(answer["Item"]) if "Item" in answer else {}
    limit: int | None = found.get("requests_per_min")
    return limit


@dataclass(frozen=True, slots=True)
class Taken:
    """A block, what the minute has left behind it, and how many environments share the minute."""

    size: int
    left: int
    sharing: int


def take(tenant_id: str, *, minute: int, most: int, block: int, first: bool) -> Taken:
    """Take a block of a minute, or what is left of it; `first` counts who shares it.

    Where another clock has begun the next minute already, that one gives the block.
    """
    size = block
    for _ in range(_TRIES):
        size = min(size, most)
        taken, there = _go_on(tenant_id, minute, size, most, first=first)
        if taken is not None:
            return taken
        if there is None or there["minute"] < minute:
            taken = _open(tenant_id, minute, size, most)
            if taken is not None:
                return taken
        else:
            minute = there["minute"]
            size = min(size, most - there["used"])
        if size < 1:
            break
    return Taken(0, 0, 1)


def _go_on(
    tenant_id: str, minute: int, size: int, most: int, *, first: bool
) -> tuple[Taken | None, dict[str, int] | None]:
    """Give the block, or what stands in its way."""
    values = {":m": minute, ":n": size, ":room": most - size, ":f": int(first)}
    update = "SET #u = #u + :n, #s = #s + :f"
    return _take(tenant_id, update, "#m = :m AND #u <= :room", values, size=size, most=most)


def _open(tenant_id: str, minute: int, size: int, most: int) -> Taken | None:
    """Begin a minute that nobody has begun yet."""
    values = {":m": minute, ":n": size, ":f": 1}
    update = "SET #m = :m, #u = :n, #s = :f"
    condition = "attribute_not_exists(#m) OR #m < :m"
    return _take(tenant_id, update, condition, values, size=size, most=most)[0]


def _take(
    tenant_id: str, update: str, condition: str, values: dict[str, int], *, size: int, most: int
) -> tuple[Taken | None, dict[str, int] | None]:
    try:
        answer = aws.dynamodb(
            "update_item",
            TableName=aws.table("access"),
            Key=typed_item({**tenant_key(tenant_id), "sk": _SORT}),
            UpdateExpression=update,
            ConditionExpression=condition,
            ExpressionAttributeNames={"#m": "minute", "#u": "used", "#s": "sharing"},
            ExpressionAttributeValues=typed_item(values),
            ReturnValues="ALL_NEW",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    except ClientError as refusal:
        if refusal.response["Error"]["Code"] != "ConditionalCheckFailedException":
            raise
        found: dict[str, Any] = refusal.response.get("Item") or {}
        return None, plain_item(found) or _read(tenant_id)
    now = plain_item(answer["Attributes"])
    return Taken(size, most - now["used"], now["sharing"]), None


def _read(tenant_id: str) -> dict[str, int] | None:
    """For a store that does not say what was in the way."""
    answer = aws.dynamodb(
        "get_item",
        TableName=aws.table("access"),
        Key=typed_item({**tenant_key(tenant_id), "sk": _SORT}),
        ConsistentRead=True,
    )
    return plain_item(answer["Item"]) if "Item" in answer else None
