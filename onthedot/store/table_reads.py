"""Reads what is due, rows by key, and parts of a task. Reads that decide are consistent."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

from onthedot.records.attributes import plain_item, typed_item
from onthedot.records.timings import PAGE
from onthedot.store import aws

GET_MAX = 100

Item = dict[str, Any]


def due_page(
    shard: int, between: tuple[str, str], start: Mapping[str, Any] | None = None
) -> tuple[list[Item], Mapping[str, Any] | None]:
    """Returns a page of a shard's due tasks, oldest first, and where the next page begins."""
    request: dict[str, Any] = {"ExclusiveStartKey": start} if start else {}
    answer = aws.dynamodb(
        "query",
        TableName=aws.table("tasks"),
        IndexName="due",
        KeyConditionExpression="#s = :s AND #n BETWEEN :a AND :u",
        ExpressionAttributeNames={"#s": "due_shard", "#n": "next_run_at"},
        ExpressionAttributeValues=typed_item({":s": shard, ":a": between[0], ":u": between[1]}),
        Limit=PAGE,
        **request,
    )
    return [plain_item(item) for item in answer["Items"]], answer.get("LastEvaluatedKey")


def due_pages(
    shard: int, between: tuple[str, str], start: Mapping[str, Any] | None = None
) -> Iterator[list[Item]]:
    """Walks a shard's tasks that are due between two times, page by page."""
    while True:
        items, start = due_page(shard, between, start)
        yield items
        if not start:
            return


def get(table: str, key: Mapping[str, Any]) -> Item | None:
    """Reads one item consistently."""
    answer = aws.dynamodb(
        "get_item", TableName=aws.table(table), Key=typed_item(key), ConsistentRead=True
    )
    return plain_item(answer["Item"]) if "Item" in answer else None


def get_many(keys: Mapping[str, Sequence[Mapping[str, Any]]]) -> dict[str, list[Item]]:
    """Reads items of several tables consistently, a hundred in a call. Missing ones are omitted."""
    wanted = [(table, key) for table, of_table in keys.items() for key in of_table]
    found: dict[str, list[Item]] = {table: [] for table in keys}
    for first in range(0, len(wanted), GET_MAX):
        for table, item in _get_batch(wanted[first : first + GET_MAX]):
            found[table].append(item)
    return found


def get_all(table: str, keys: Iterable[Mapping[str, Any]]) -> list[Item]:
    """Reads items of one table like `get_many`. Without keys it makes no call."""
    return get_many({table: list(keys)})[table]


def _get_batch(wanted: Sequence[tuple[str, Mapping[str, Any]]]) -> Iterator[tuple[str, Item]]:
    logical = {aws.table(table): table for table, _ in wanted}
    request: dict[str, Any] = {name: {"Keys": [], "ConsistentRead": True} for name in logical}
    for table, key in wanted:
        request[aws.table(table)]["Keys"].append(typed_item(key))
    while request:
        answer = aws.dynamodb("batch_get_item", RequestItems=request)
        for name, items in answer["Responses"].items():
            for item in items:
                yield logical[name], plain_item(item)
        request = answer.get("UnprocessedKeys") or {}


def rows(
    partition: tuple[str, str],
    sort: str,
    between: tuple[str, str],
    *,
    table: str = "runs",
    newest_first: bool = False,
    page: int = 0,
    consistent: bool = True,
) -> Iterator[Item]:
    """Walks the items of one partition whose sort key lies between two, both included."""
    name, value = partition
    request: dict[str, Any] = {
        "TableName": aws.table(table),
        "KeyConditionExpression": "#p = :p AND #s BETWEEN :a AND :b",
        "ExpressionAttributeNames": {"#p": name, "#s": sort},
        "ExpressionAttributeValues": typed_item({":p": value, ":a": between[0], ":b": between[1]}),
        "ConsistentRead": consistent,
        "ScanIndexForward": not newest_first,
        **({"Limit": page} if page else {}),
    }
    while True:
        answer = aws.dynamodb("query", **request)
        yield from (plain_item(item) for item in answer["Items"])
        if "LastEvaluatedKey" not in answer:
            return
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def put(table: str, item: Mapping[str, Any]) -> None:
    """Puts an item. Only for items where a second put has the same effect as one."""
    aws.dynamodb("put_item", TableName=aws.table(table), Item=typed_item(item))


def delete(table: str, key: Mapping[str, Any]) -> None:
    """Deletes an item if it exists."""
    aws.dynamodb("delete_item", TableName=aws.table(table), Key=typed_item(key))


def by_key(items: Iterable[Item], *names: str) -> dict[tuple[Any, ...], Item]:
    """Indexes items by their key."""
    return {tuple(item[name] for name in names): item for item in items}
