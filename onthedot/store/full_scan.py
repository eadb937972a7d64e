"""Reads a whole table: for repairs by hand, never for what runs each minute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from onthedot.records.attributes import plain_item
from onthedot.store import aws


def items(table: str) -> Iterator[dict[str, Any]]:
    """Walks all items, page by page."""
    request: dict[str, Any] = {"TableName": aws.table(table), "ConsistentRead": True}
    while True:
        answer = aws.dynamodb("scan", **request)
        yield from (plain_item(item) for item in answer["Items"])
        if "LastEvaluatedKey" not in answer:
            return
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]
