"""Writes the one item that limits a tenant's runs: how many at once, and which targets.

A worker reads it with its rows. Each part is set on its own, so that no write undoes another.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from botocore.exceptions import ClientError

from onthedot.records.attributes import typed_item
from onthedot.records.runs import tenant_permits
from onthedot.store import aws

# Workers of the former release expect `most` in every such item.
_TARGETS = "SET #t = :t, #m = if_not_exists(#m, :none)"
_UNSET = "attribute_not_exists(#t) OR attribute_exists(#l)"


def set_most(tenant_id: str, most: int) -> None:
    """Sets how many of the tenant's runs may be under way. 0 means no limit."""
    _update(tenant_id, "SET #m = :m", {"#m": "most"}, {":m": most})


def set_targets(tenant_id: str, patterns: Sequence[str]) -> None:
    """Sets which targets its runs may call."""
    names, values = _targets(patterns)
    _update(tenant_id, f"{_TARGETS} REMOVE #l", {**names, "#l": "looking"}, values)


def begin_targets(tenant_id: str, patterns: Sequence[str], *, looking: bool) -> bool:
    """Sets which targets its runs may call if nobody has set them. False: an operator has.

    With `looking` an upgrade still collects the targets in use, and no call is refused.
    """
    names, values = _targets(patterns)
    names["#l"] = "looking"
    update = f"{_TARGETS}, #l = :l" if looking else f"{_TARGETS} REMOVE #l"
    values |= {":l": True} if looking else {}
    try:
        _update(tenant_id, update, names, values, ConditionExpression=_UNSET)
    except ClientError as refusal:
        if refusal.response["Error"]["Code"] != "ConditionalCheckFailedException":
            raise
        return False
    return True


def _targets(patterns: Sequence[str]) -> tuple[dict[str, str], dict[str, Any]]:
    return {"#t": "targets", "#m": "most"}, {":t": list(patterns), ":none": 0}


def _update(
    tenant_id: str,
    update: str,
    names: Mapping[str, str],
    values: Mapping[str, Any],
    **condition: str,
) -> None:
    aws.dynamodb(
        "update_item",
        TableName=aws.table(tenant_permits.TABLE),
        Key=typed_item(tenant_permits.limit_key(tenant_id)),
        UpdateExpression=update,
        ExpressionAttributeNames=dict(names),
        ExpressionAttributeValues=typed_item(values),
        **condition,
    )
