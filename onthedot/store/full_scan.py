"""Reads a whole table: for repairs by hand, never for what runs each minute."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from onthedot.records.attributes import plain_item
from onthedot.store import aws


def items(table: str) -> Iterator[dict[str, Any]]:
    """Walks all items: as many segments side by side as calls may be made at once.

    A page of each segment is read, then the next one of each that has more.
    """
    whole = {"TableName": aws.table(table), "ConsistentRead": True, "TotalSegments": aws.width()}
    left: list[dict[str, Any]] = [whole | {"Segment": number} for number in range(aws.width())]
    while left:
        pages = aws.in_parallel(lambda request: aws.dynamodb("scan", **request), left)
        for page in pages:
            yield from (plain_item(item) for item in page["Items"])
        left = [
            request | {"ExclusiveStartKey": page["LastEvaluatedKey"]}
            for request, page in zip(left, pages, strict=True)
            if "LastEvaluatedKey" in page
        ]
