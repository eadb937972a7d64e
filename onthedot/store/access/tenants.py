"""Reads and writes tenants: which exist, and what each may use."""

from __future__ import annotations

from pynamodb.expressions.operand import Path

from onthedot.records.access.api_key import TASKS_MAX, tenant_key
from onthedot.records.attributes import plain_item, typed_item
from onthedot.store import aws
from onthedot.store.access import access_table

_LIST = "tenants"
_KNOWN = ("tasks_left", "tasks_max", "requests_per_min")


def read(tenant_id: str) -> dict[str, int]:
    """Reads a tenant's settings, and how many tasks it has left."""
    found = access_table.read(tenant_key(tenant_id)) or {}
    return {name: found[name] for name in _KNOWN if name in found}


def listed() -> list[str]:
    """Returns the tenants that were made."""
    answer = aws.dynamodb(
        "query",
        TableName=aws.table("access"),
        KeyConditionExpression="#p = :p",
        ExpressionAttributeNames={"#p": "pk"},
        ExpressionAttributeValues=typed_item({":p": _LIST}),
    )
    return [plain_item(item)["sk"] for item in answer["Items"]]


def list_it(tenant_id: str, created_at: str) -> None:
    """Puts a tenant on the list."""
    access_table.put({"pk": _LIST, "sk": tenant_id, "created_at": created_at})


def limit(tenant_id: str, seen: dict[str, int], wanted: dict[str, int]) -> bool:
    """Sets its limits, and changes what it has left to fit. False: they have just changed."""
    before, after = seen.get("tasks_max", TASKS_MAX), wanted.get("tasks_max", TASKS_MAX)
    left, most = Path("tasks_left"), Path("tasks_max")
    actions = [left.set((left | TASKS_MAX) + (after - before)), most.set(after)]
    if "requests_per_min" in wanted:
        actions.append(Path("requests_per_min").set(wanted["requests_per_min"]))
    unchanged = most == before if "tasks_max" in seen else most.does_not_exist()
    return access_table.update(tenant_key(tenant_id), actions, unchanged).done
