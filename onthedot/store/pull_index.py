"""Reads the index of runs that outside workers fetch: keys only, the most urgent first."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from onthedot.records.attributes import plain_item, typed_item
from onthedot.store import aws


def due(partition: str, ranges: Sequence[tuple[str, str]], most: int) -> list[dict[str, Any]]:
    """Returns the keys of up to `most` runs. The index may still show runs that were taken."""
    found: list[dict[str, Any]] = []
    for between in ranges:
        if len(found) < most:
            found += _in(partition, between, most - len(found))
    return found


def _in(partition: str, between: tuple[str, str], most: int) -> list[dict[str, Any]]:
    answer = aws.dynamodb(
        "query",
        TableName=aws.table("runs"),
        IndexName="pull",
        KeyConditionExpression="#p = :p AND #a BETWEEN :a AND :b",
        ExpressionAttributeNames={"#p": "pull", "#a": "pull_at"},
        ExpressionAttributeValues=typed_item({":p": partition, ":a": between[0], ":b": between[1]}),
        Limit=most,
    )
    return [plain_item(item) for item in answer["Items"]]
