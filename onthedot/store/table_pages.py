"""Reads pages of a tenant's items, newest first, and where the next page begins."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from onthedot.records.access.page_token import mismatch
from onthedot.records.attributes import plain, plain_item, typed_item
from onthedot.store import aws


@dataclass(frozen=True, slots=True)
class Page:
    """Some items, and the key of the last one if more may follow."""

    items: list[dict[str, Any]]
    last: Mapping[str, Any] | None


def by_tenant(listed: str, *, limit: int, start: Mapping[str, Any] | None) -> Page:
    """Returns a page of a tenant's schedules or tasks."""
    return _page(
        "tasks",
        {
            "IndexName": "by_tenant",
            "KeyConditionExpression": "#p = :p",
            "ExpressionAttributeNames": {"#p": "listed"},
            "ExpressionAttributeValues": typed_item({":p": listed}),
            "Limit": limit,
        },
        start,
    )


def coming(
    listed: str, carried: Sequence[str], *, since: str, start: Mapping[str, Any] | None
) -> Page:
    """Returns one call's worth of a tenant's active tasks that can still fire."""
    names = {f"#c{place}": name for place, name in enumerate(carried)}
    # A one-off task has no cron and no interval. It fires once, at its start.
    recurs = "attribute_exists(#cron) OR attribute_exists(#every) OR #start >= :since"
    return _page(
        "tasks",
        {
            "IndexName": "by_tenant",
            "KeyConditionExpression": "#p = :p",
            "FilterExpression": f"#status = :active AND ({recurs})",
            "ProjectionExpression": ", ".join(names),
            "ExpressionAttributeNames": {
                **names,
                "#p": "listed",
                "#status": "status",
                "#cron": "cron",
                "#every": "every_sec",
                "#start": "start_at",
            },
            "ExpressionAttributeValues": typed_item(
                {":p": listed, ":active": "active", ":since": since}
            ),
        },
        start,
    )


def attention(
    listed: str, between: tuple[str, str], *, limit: int, start: Mapping[str, Any] | None
) -> Page:
    """Returns a page of the runs of one kind that need attention."""
    return _page(
        "runs",
        {
            "IndexName": "attention",
            "KeyConditionExpression": "#p = :p AND #s BETWEEN :a AND :b",
            "ExpressionAttributeNames": {"#p": "attention", "#s": "attention_at"},
            "ExpressionAttributeValues": typed_item(
                {":p": listed, ":a": between[0], ":b": between[1]}
            ),
            "Limit": limit,
        },
        start,
    )


def runs(
    task_id: str,
    between: tuple[str, str],
    *,
    limit: int,
    start: Mapping[str, Any] | None,
    consistent: bool = False,
) -> Page:
    """Returns a page of a task's runs whose keys lie between two, both included."""
    return _page(
        "runs",
        {
            "KeyConditionExpression": "#p = :p AND #s BETWEEN :a AND :b",
            "ExpressionAttributeNames": {"#p": "task_id", "#s": "scheduled_for"},
            "ExpressionAttributeValues": typed_item(
                {":p": task_id, ":a": between[0], ":b": between[1]}
            ),
            "Limit": limit,
            "ConsistentRead": consistent,
        },
        start,
    )


def count(listed: str, *, since: str | None = None) -> int:
    """Counts a tenant's schedules, or its tasks that are active and due after an instant."""
    request: dict[str, Any] = {
        "TableName": aws.table("tasks"),
        "IndexName": "by_tenant",
        "Select": "COUNT",
        "KeyConditionExpression": "#p = :p",
        "ExpressionAttributeNames": {"#p": "listed"},
        "ExpressionAttributeValues": typed_item({":p": listed}),
    }
    if since is not None:
        request["FilterExpression"] = "#s = :active AND #a > :since"
        request["ExpressionAttributeNames"] |= {"#s": "status", "#a": "start_at"}
        values = typed_item({":active": "active", ":since": since})
        request["ExpressionAttributeValues"] |= values
    counted = 0
    while True:
        answer = aws.dynamodb("query", **request)
        counted += int(answer["Count"])
        if "LastEvaluatedKey" not in answer:
            return counted
        request["ExclusiveStartKey"] = answer["LastEvaluatedKey"]


def _page(table: str, request: Mapping[str, Any], start: Mapping[str, Any] | None) -> Page:
    _check_start(request, start)
    begin = {"ExclusiveStartKey": typed_item(start)} if start else {}
    answer = aws.dynamodb(
        "query", TableName=aws.table(table), ScanIndexForward=False, **request, **begin
    )
    last = answer.get("LastEvaluatedKey")
    items = [plain_item(item) for item in answer["Items"]]
    return Page(items, plain_item(last) if last else None)


def _check_start(request: Mapping[str, Any], start: Mapping[str, Any] | None) -> None:
    """Refuses a start outside of the request, as the store would, but in our own words."""
    values = request["ExpressionAttributeValues"]
    if start and ":a" in values:
        at = start[request["ExpressionAttributeNames"]["#s"]]
        if not plain(values[":a"]) <= at <= plain(values[":b"]):
            raise mismatch()
