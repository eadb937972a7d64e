"""Tenants: which there are, and what each may use."""

from __future__ import annotations

from typing import Any

from botocore.exceptions import ClientError

from onthedot.adapters import aws
from onthedot.core.access import TASKS_MAX, tenant_key
from onthedot.core.attributes import plain_item, typed_item

_LIST = "tenants"
_KNOWN = ("tasks_left", "tasks_max", "requests_per_min")


def read(tenant_id: str) -> dict[str, int]:
    """Read what is set for a tenant, and how many tasks it has left."""
    answer = aws.dynamodb(
        "get_item",
        TableName=aws.table("access"),
        Key=typed_item(tenant_key(tenant_id)),
        ConsistentRead=True,
    )
    found = plain_item(answer["Item"]) if "Item" in answer else {}
    return {name: found[name] for name in _KNOWN if name in found}


def listed() -> list[str]:
    """Name those that were made."""
    answer = aws.dynamodb(
        "query",
        TableName=aws.table("access"),
        KeyConditionExpression="#p = :p",
        ExpressionAttributeNames={"#p": "pk"},
        ExpressionAttributeValues=typed_item({":p": _LIST}),
    )
    return [plain_item(item)["sk"] for item in answer["Items"]]


def list_it(tenant_id: str, created_at: str) -> None:
    """Put a tenant on the list."""
    item = {"pk": _LIST, "sk": tenant_id, "created_at": created_at}
    aws.dynamodb("put_item", TableName=aws.table("access"), Item=typed_item(item))


def limit(tenant_id: str, seen: dict[str, int], wanted: dict[str, int]) -> bool:
    """Set its limits; what is left of its tasks moves with them. False: they have just changed."""
    before, after = seen.get("tasks_max", TASKS_MAX), wanted.get("tasks_max", TASKS_MAX)
    names = {"#l": "tasks_left", "#m": "tasks_max", "#r": "requests_per_min"}
    update = "SET #l = if_not_exists(#l, :all) + :more, #m = :m"
    values: dict[str, Any] = {":all": TASKS_MAX, ":more": after - before, ":m": after}
    if "requests_per_min" in wanted:
        update += ", #r = :r"
        values[":r"] = wanted["requests_per_min"]
    else:
        del names["#r"]
    condition = "attribute_not_exists(#m)"
    if "tasks_max" in seen:
        condition = "#m = :seen"
        values[":seen"] = before
    try:
        aws.dynamodb(
            "update_item",
            TableName=aws.table("access"),
            Key=typed_item(tenant_key(tenant_id)),
            UpdateExpression=update,
            ConditionExpression=condition,
            ExpressionAttributeNames=names,
            ExpressionAttributeValues=typed_item(values),
        )
    except ClientError as refusal:
        if refusal.response["Error"]["Code"] != "ConditionalCheckFailedException":
            raise
        return False
    return True
