"""What calls cost, in units, as ConsumedCapacity reports it."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.kit import M, N, S, Table
from tests.simulation.stores.values import item_bytes

SHAPES: dict[str, dict[str, Any]] = {
    "text": {"x": S("abc")},
    "text beyond ASCII": {"x": S("äöü€")},
    "numbers": {"a": N(1), "b": N(12), "c": N(123456789), "d": N("-1.5"), "e": N(0), "f": N(1000)},
    "numbers about the point": {"a": N("1.5"), "b": N("100.1"), "c": N("10.01"), "d": N("0.05")},
    "flags": {"yes": {"BOOL": True}, "nothing": {"NULL": True}},
    "binary": {"b": {"B": b"\x00" * 33}},
    "map": {"m": M(k=S("v"), j=M(z=N(1)))},
    "empty map and list": {"m": M(), "l": {"L": []}},
    "list": {"l": {"L": [N(1), S("x"), {"L": [S("y")]}]}},
    "sets": {"s": {"SS": ["a", "bc"]}, "n": {"NS": ["1", "22"]}},
}


@pytest.mark.parametrize("shape", SHAPES.values(), ids=SHAPES)
def test_a_kilobyte_is_measured_to_the_byte(table: Table, shape: dict[str, Any]) -> None:
    _measure(table, shape)


@pytest.mark.differs(ministack="counts digits otherwise")
def test_a_number_weighs_its_digits_without_the_zeros_at_its_ends(table: Table) -> None:
    _measure(table, {"a": N(1795000000000), "b": N("0.001"), "c": N("12345678901234567890.5")})


def _measure(table: Table, shape: dict[str, Any]) -> None:
    item = table.item(**shape, pad=S(""))
    room = 1024 - item_bytes(item)

    def units(length: int) -> Any:
        answer = table.client.put_item(
            TableName=table.name,
            Item={**item, "pad": S("p" * length)},
            ReturnConsumedCapacity="TOTAL",
        )
        return answer["ConsumedCapacity"]["CapacityUnits"]

    assert units(room) == 1.0
    assert units(room + 1) == 2.0


def spent(answer: dict[str, Any]) -> tuple[float, float, float]:
    """In all, on the table, on the index."""
    capacity = answer["ConsumedCapacity"]
    capacity = capacity[0] if isinstance(capacity, list) else capacity
    index = capacity.get("GlobalSecondaryIndexes", {}).get("by_group", {})
    return (
        capacity["CapacityUnits"],
        capacity.get("Table", {}).get("CapacityUnits", 0.0),
        index.get("CapacityUnits", 0.0),
    )


CHANGES: list[tuple[str, dict[str, Any], tuple[float, float, float]]] = [
    ("SET z=:a", {":a": S("1")}, (1.0, 1.0, 0.0)),
    ("SET x=:a", {":a": S("1")}, (2.0, 1.0, 1.0)),
    ("SET group_no=:a", {":a": N(2)}, (3.0, 1.0, 2.0)),
    ("REMOVE group_no", {}, (2.0, 1.0, 1.0)),
    ("SET z=:a", {":a": S("z" * 2500)}, (3.0, 3.0, 0.0)),
    ("SET x=:a", {":a": S("z" * 2500)}, (6.0, 3.0, 3.0)),
]


@pytest.mark.parametrize(("expression", "values", "units"), CHANGES)
def test_an_update_pays_for_the_whole_item_and_for_what_moves_in_the_index(
    table: Table, expression: str, values: dict[str, Any], units: tuple[float, float, float]
) -> None:
    table.put(group_no=N(1), due_at=S("t"), x=S("x"))
    given = {"ExpressionAttributeValues": values} if values else {}
    answer = table.update(UpdateExpression=expression, ReturnConsumedCapacity="INDEXES", **given)

    assert spent(answer) == units


@pytest.mark.differs(ministack="leaves out the index")
@pytest.mark.parametrize(("expression", "values", "units"), CHANGES[1:4])
def test_a_statement_pays_what_an_update_pays(
    table: Table, expression: str, values: dict[str, Any], units: tuple[float, float, float]
) -> None:
    table.put(group_no=N(1), due_at=S("t"), x=S("x"))
    text = f"UPDATE T {expression.replace(':a', '?')} WHERE K"
    statement = table.statement(text, [*values.values(), S("a"), S("1")])
    answer = table.client.batch_execute_statement(
        Statements=[statement], ReturnConsumedCapacity="INDEXES"
    )

    assert spent(answer) == units


def test_a_put_and_a_delete_pay_for_table_and_index(table: Table) -> None:
    item = table.item(group_no=N(1), due_at=S("t"), x=S("x" * 1500))
    put = table.client.put_item(TableName=table.name, Item=item, ReturnConsumedCapacity="INDEXES")
    smaller = table.client.put_item(
        TableName=table.name, Item=table.item(), ReturnConsumedCapacity="INDEXES"
    )
    delete = table.client.delete_item(
        TableName=table.name, Key=table.key(), ReturnConsumedCapacity="INDEXES"
    )
    nothing = table.client.delete_item(
        TableName=table.name, Key=table.key(), ReturnConsumedCapacity="INDEXES"
    )

    assert spent(put) == (4.0, 2.0, 2.0)
    assert spent(smaller) == (4.0, 2.0, 2.0)
    assert spent(delete) == (1.0, 1.0, 0.0)
    assert spent(nothing) == (1.0, 1.0, 0.0)


def test_a_batch_adds_up(table: Table) -> None:
    statements = [
        table.statement("INSERT INTO T VALUE {'pk': ?, 'sk': ?}", [S("a"), S(str(number))])
        for number in range(3)
    ]
    answer = table.client.batch_execute_statement(
        Statements=statements, ReturnConsumedCapacity="TOTAL"
    )

    assert sum(one["CapacityUnits"] for one in answer["ConsumedCapacity"]) == 3.0


@pytest.mark.differs(dynoxide="counts nothing that failed")
def test_a_refused_statement_pays_too(table: Table) -> None:
    table.put()
    statement = table.statement("INSERT INTO T VALUE {'pk': ?, 'sk': ?}", [S("a"), S("1")])
    answer = table.client.batch_execute_statement(
        Statements=[statement], ReturnConsumedCapacity="TOTAL"
    )

    assert [one["CapacityUnits"] for one in answer.get("ConsumedCapacity", ())] == [1.0]


def test_a_transaction_pays_the_table_twice(table: Table) -> None:
    """The index once: what Dynoxide says it saw at AWS."""
    item = table.item(group_no=N(1), due_at=S("t"))
    answer = table.client.transact_write_items(
        TransactItems=[{"Put": {"TableName": table.name, "Item": item}}],
        ReturnConsumedCapacity="TOTAL",
    )

    assert answer["ConsumedCapacity"][0]["CapacityUnits"] == 3.0


@pytest.mark.differs(ministack="charges any read as one of 4 kB")
@pytest.mark.parametrize(("consistent", "units"), [(True, 2.0), (False, 1.0)])
def test_a_read_pays_by_four_kilobytes(table: Table, consistent: bool, units: float) -> None:  # noqa: FBT001  # a case
    table.put(x=S("x" * 5000))
    reads = {"ConsistentRead": consistent, "ReturnConsumedCapacity": "TOTAL"}
    one = table.client.get_item(TableName=table.name, Key=table.key(), **reads)
    page = table.query("pk=:p", {":p": S("a")}, **reads)

    assert one["ConsumedCapacity"]["CapacityUnits"] == units
    assert page["ConsumedCapacity"]["CapacityUnits"] == units


@pytest.mark.differs(ministack="charges any read as one of 4 kB")
def test_a_query_pays_for_the_sum_of_what_it_reads(table: Table) -> None:
    for number in range(10):
        table.put(str(number), group_no=N(1), due_at=S("t"), x=S("x" * 500), z=S("z" * 5000))
    answer = table.query(
        "group_no=:g", {":g": N(1)}, IndexName="by_group", ReturnConsumedCapacity="TOTAL"
    )
    empty = table.query(
        "group_no=:g", {":g": N(2)}, IndexName="by_group", ReturnConsumedCapacity="TOTAL"
    )

    assert answer["ConsumedCapacity"]["CapacityUnits"] == 1.0
    assert empty["ConsumedCapacity"]["CapacityUnits"] == 0.5


@pytest.mark.differs(ministack="reports nothing")
def test_a_batch_get_pays_for_each_key(table: Table) -> None:
    table.put("1")
    wanted = {table.name: {"Keys": [table.key("1"), table.key("2")], "ConsistentRead": True}}
    answer = table.client.batch_get_item(RequestItems=wanted, ReturnConsumedCapacity="TOTAL")

    assert [one["CapacityUnits"] for one in answer.get("ConsumedCapacity", ())] == [2.0]
