"""Query and Scan, over the table and its index."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.kit import N, S, Table, code

GROUP = {":g": N(1)}


@pytest.fixture
def filled(table: Table) -> Table:
    for number in range(5):
        table.put(
            str(number), group_no=N(1), due_at=S(f"t{number // 2}"), x=S("x"), z=S("z"), n=N(number)
        )
    table.put("9", group_no=N(1))
    return table


def keys(answer: dict[str, Any]) -> str:
    return "".join(item["sk"]["S"] for item in answer["Items"])


@pytest.mark.parametrize(
    ("condition", "values", "found"),
    [
        ("pk=:p", {}, "012349"),
        ("pk=:p AND sk=:a", {":a": S("2")}, "2"),
        ("pk=:p AND sk<:a", {":a": S("2")}, "01"),
        ("pk=:p AND sk<=:a", {":a": S("2")}, "012"),
        ("pk=:p AND sk>:a", {":a": S("2")}, "349"),
        ("pk=:p AND sk>=:a", {":a": S("2")}, "2349"),
        ("pk=:p AND sk BETWEEN :a AND :b", {":a": S("1"), ":b": S("3")}, "123"),
        ("begins_with(sk, :a) AND pk=:p", {":a": S("9")}, "9"),
        ("pk=:p AND sk>:a", {":a": S("99")}, ""),
    ],
)
def test_a_query_finds_in_order(
    filled: Table, condition: str, values: dict[str, Any], found: str
) -> None:
    values = {":p": S("a"), **values}

    assert keys(filled.query(condition, values, ConsistentRead=True)) == found
    assert keys(filled.query(condition, values, ScanIndexForward=False)) == found[::-1]


def test_an_index_holds_its_projection_of_the_items_that_have_its_keys(filled: Table) -> None:
    answer = filled.query(
        "group_no=:g AND due_at<=:t", {**GROUP, ":t": S("t0")}, IndexName="by_group"
    )

    assert keys(answer) == "01"
    assert answer["Items"][0] == filled.item("0", group_no=N(1), due_at=S("t0"), x=S("x"))
    assert keys(filled.query("group_no=:g", GROUP, IndexName="by_group")) == "01234"


def test_an_index_follows_its_table(filled: Table) -> None:
    def found() -> str:
        return keys(filled.query("group_no=:g", GROUP, IndexName="by_group"))

    filled.update("0", UpdateExpression="SET due_at=:t", ExpressionAttributeValues={":t": S("t9")})
    moved = found()
    filled.update("1", UpdateExpression="REMOVE group_no")
    removed = found()
    filled.client.delete_item(TableName=filled.name, Key=filled.key("2"))
    deleted = found()
    filled.batch(("UPDATE T SET group_no=? WHERE K", [N(1), S("a"), S("1")]))

    assert [moved, removed, deleted, found()] == ["12340", "2340", "340", "1340"]


def test_pages_go_on_where_they_ended(filled: Table) -> None:
    for reverse in (False, True):
        pages: list[str] = []
        start: dict[str, Any] = {}
        while True:
            answer = filled.query(
                "group_no=:g",
                GROUP,
                IndexName="by_group",
                Limit=2,
                ScanIndexForward=not reverse,
                **start,
            )
            pages.append(keys(answer))
            if "LastEvaluatedKey" not in answer:
                break
            assert answer["LastEvaluatedKey"].keys() == {"pk", "sk", "group_no", "due_at"}
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}
        assert pages == (["43", "21", "0"] if reverse else ["01", "23", "4"])


def test_a_page_that_ends_at_its_limit_names_a_last_key_even_at_the_end(filled: Table) -> None:
    answer = filled.query("pk=:p", {":p": S("a")}, Limit=6)

    assert answer["LastEvaluatedKey"] == filled.key("9")


def test_a_page_goes_on_after_a_key_that_is_gone(filled: Table) -> None:
    filled.client.delete_item(TableName=filled.name, Key=filled.key("1"))
    answer = filled.query("pk=:p", {":p": S("a")}, ExclusiveStartKey=filled.key("1"))

    assert keys(answer) == "2349"


def test_a_filter_hides_what_was_read(filled: Table) -> None:
    answer = filled.query(
        "pk=:p",
        {":p": S("a"), ":n": N(2)},
        FilterExpression="n > :n",
        Limit=4,
        ProjectionExpression="sk",
    )

    assert answer["Items"] == [{"sk": S("3")}]
    assert (answer["Count"], answer["ScannedCount"]) == (1, 4)
    assert answer["LastEvaluatedKey"] == filled.key("3")


def test_a_count_shows_no_items(filled: Table) -> None:
    answer = filled.query("pk=:p", {":p": S("a")}, Select="COUNT")

    assert answer["Count"] == 6
    assert "Items" not in answer


@pytest.mark.parametrize(
    ("condition", "values", "more"),
    [
        ("sk=:a", {":a": S("1")}, {}),
        ("pk=:a AND status=:a", {":a": S("a")}, {}),
        ("pk=:a", {":a": S("a"), ":b": S("a")}, {}),
        ("group_no=:a", {":a": N(1)}, {"IndexName": "by_group", "ConsistentRead": True}),
        ("group_no=:a", {":a": N(1)}, {"IndexName": "nope"}),
        ("pk=:a AND x=:a", {":a": S("a")}, {}),
    ],
    ids=["no partition key", "reserved", "unused value", "consistent index", "no index", "no key"],
)
def test_a_query_is_invalid(
    table: Table, condition: str, values: dict[str, Any], more: dict[str, Any]
) -> None:
    assert code(lambda: table.query(condition, values, **more)) == "ValidationException"


@pytest.mark.differs(ministack="carries it out")
@pytest.mark.parametrize(
    ("condition", "more"),
    [("pk=:a", {"FilterExpression": "sk > :a"}), ("pk=:a OR sk=:a", {})],
)
def test_a_query_ranges_over_keys_and_filters_what_is_no_key(
    table: Table, condition: str, more: dict[str, Any]
) -> None:
    assert code(lambda: table.query(condition, {":a": S("a")}, **more)) == "ValidationException"


@pytest.mark.differs(dynoxide="finds nothing")
def test_a_key_is_compared_with_its_own_type(table: Table) -> None:
    assert code(lambda: table.query("pk=:a", {":a": N(1)})) == "ValidationException"


@pytest.mark.differs(dynoxide="compares")
@pytest.mark.parametrize(
    ("condition", "values"),
    [
        ("pk=:a", {":a": S("")}),
        ("pk=:p AND sk>=:a", {":p": S("a"), ":a": S("")}),
        ("pk=:p AND sk BETWEEN :a AND :b", {":p": S("a"), ":a": S(""), ":b": S("~")}),
    ],
)
def test_no_key_is_empty_and_none_is_compared_with_nothing(
    filled: Table, condition: str, values: dict[str, Any]
) -> None:
    assert code(lambda: filled.query(condition, values)) == "ValidationException"


def test_a_scan_in_segments_sees_each_item_once(table: Table) -> None:
    for number in range(20):
        table.client.put_item(TableName=table.name, Item={"pk": S(f"p{number}"), "sk": S("1")})
    found: list[str] = []
    for segment in range(3):
        start: dict[str, Any] = {}
        while True:
            answer = table.client.scan(
                TableName=table.name, Segment=segment, TotalSegments=3, Limit=4, **start
            )
            found += [item["pk"]["S"] for item in answer["Items"]]
            if "LastEvaluatedKey" not in answer:
                break
            start = {"ExclusiveStartKey": answer["LastEvaluatedKey"]}

    assert sorted(found) == sorted(f"p{number}" for number in range(20))


def test_a_scan_filters(filled: Table) -> None:
    answer = filled.client.scan(
        TableName=filled.name, FilterExpression="n >= :n", ExpressionAttributeValues={":n": N(3)}
    )

    assert keys(answer) == "34"
    assert answer["ScannedCount"] == 6
