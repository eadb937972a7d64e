"""One item: PutItem, UpdateItem, DeleteItem, GetItem, BatchGetItem."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.kit import M, N, S, Table, code, refusal


def test_what_is_put_is_read_back(table: Table) -> None:
    item = table.item(
        text=S("é"),
        number=N("12.5"),
        yes={"BOOL": True},
        nothing={"NULL": True},
        raw={"B": b"\x00\xff"},
        map=M(list={"L": [N(1), S("x")]}),
        names={"SS": ["a"]},
    )
    table.client.put_item(TableName=table.name, Item=item)

    assert table.get() == item


@pytest.mark.parametrize(
    ("given", "stored"),
    [
        ("1.50", "1.5"),
        ("1e3", "1000"),
        ("0.0", "0"),
        ("-007", "-7"),
        ("12345678901234567890", "12345678901234567890"),
    ],
)
def test_a_number_is_stored_in_its_plainest_spelling(table: Table, given: str, stored: str) -> None:
    table.put(n=N(given), m=M(n=N(given)))

    assert table.get() == table.item(n=N(stored), m=M(n=N(stored)))


def test_a_put_refused_by_its_condition_shows_the_item_it_met(table: Table) -> None:
    table.put(x=S("old"))
    answer = refusal(
        lambda: table.client.put_item(
            TableName=table.name,
            Item=table.item(x=S("new")),
            ConditionExpression="attribute_not_exists(pk)",
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    )

    assert answer["Error"]["Code"] == "ConditionalCheckFailedException"
    assert answer["Error"]["Message"] == "The conditional request failed"
    assert answer["Item"] == table.item(x=S("old"))
    assert table.get() == table.item(x=S("old"))


def test_an_item_is_shown_only_when_asked_for_and_there(table: Table) -> None:
    table.put()
    silent = refusal(
        lambda: table.update(
            UpdateExpression="SET q=:q",
            ConditionExpression="attribute_not_exists(pk)",
            ExpressionAttributeValues={":q": N(1)},
        )
    )
    absent = refusal(
        lambda: table.update(
            "9",
            UpdateExpression="SET q=:q",
            ConditionExpression="attribute_exists(pk)",
            ExpressionAttributeValues={":q": N(1)},
            ReturnValuesOnConditionCheckFailure="ALL_OLD",
        )
    )

    assert "Item" not in silent
    assert "Item" not in absent


UPDATES = [
    ("SET q=:a", {":a": S("1")}, {"q": S("1")}),
    ("SET q=x", {}, {"q": S("x")}),
    ("SET q=if_not_exists(q, :a)", {":a": N(7)}, {"q": N(7)}),
    ("SET n=if_not_exists(n, :a)", {":a": N(7)}, {}),
    ("SET n=n+:a", {":a": N("0.5")}, {"n": N("2.5")}),
    ("SET n=:a-n", {":a": N(5)}, {"n": N(3)}),
    ("SET n=if_not_exists(q, :a)+:b", {":a": N(1), ":b": N(1)}, {"n": N(2)}),
    ("SET l=list_append(l, :a)", {":a": {"L": [N(3)]}}, {"l": {"L": [N(1), N(2), N(3)]}}),
    (
        "SET l=list_append(if_not_exists(q, :a), :a)",
        {":a": {"L": [N(3)]}},
        {"l": {"L": [N(3), N(3)]}},
    ),
    ("SET m.k=:a, m.z=:a", {":a": S("1")}, {"m": M(k=S("1"), j=S("j"), z=S("1"))}),
    ("SET l[0]=:a", {":a": S("1")}, {"l": {"L": [S("1"), N(2)]}}),
    pytest.param(
        "SET l[9]=:a",
        {":a": S("1")},
        {"l": {"L": [N(1), N(2), S("1")]}},
        marks=pytest.mark.differs(dynoxide="fills the gap with nulls"),
    ),
    ("SET x=n, n=x", {}, {"x": N(2), "n": S("x")}),
    ("REMOVE m.k, l[0]", {}, {"m": M(j=S("j")), "l": {"L": [N(2)]}}),
    ("REMOVE q", {}, {}),
    ("ADD n :a, q :a", {":a": N("1.5")}, {"n": N("3.5"), "q": N("1.5")}),
    ("ADD q :a", {":a": {"SS": ["b"]}}, {"q": {"SS": ["b"]}}),
    ("SET q=:a ADD n :b REMOVE x", {":a": S("1"), ":b": N(1)}, {"q": S("1"), "n": N(3), "x": {}}),
]


@pytest.mark.parametrize(("expression", "values", "changes"), UPDATES)
def test_an_update_leaves(
    table: Table,
    expression: str,
    values: dict[str, Any],
    changes: dict[str, Any],
) -> None:
    before = {"x": S("x"), "n": N(2), "l": {"L": [N(1), N(2)]}, "m": M(k=S("k"), j=S("j"))}
    table.put(**before)
    given = {"ExpressionAttributeValues": values} if values else {}
    answer = table.update(UpdateExpression=expression, ReturnValues="ALL_NEW", **given)

    expected = {name: value for name, value in {**before, **changes}.items() if value}
    assert answer["Attributes"] == table.item(**expected)
    assert table.get() == table.item(**expected)


INVALID: list[dict[str, Any]] = [
    {"UpdateExpression": "SET status=:a", "ExpressionAttributeValues": {":a": N(1)}},
    {
        "UpdateExpression": "SET q=:a",
        "ConditionExpression": "state=:a",
        "ExpressionAttributeValues": {":a": N(1)},
    },
    {"UpdateExpression": "SET q=:a", "ExpressionAttributeValues": {":a": N(1), ":b": N(1)}},
    {
        "UpdateExpression": "SET q=:a",
        "ExpressionAttributeNames": {"#b": "b"},
        "ExpressionAttributeValues": {":a": N(1)},
    },
    {"UpdateExpression": "SET q=:a"},
    {"UpdateExpression": "SET #q=:a", "ExpressionAttributeValues": {":a": N(1)}},
    {"UpdateExpression": "SET pk=:a", "ExpressionAttributeValues": {":a": S("b")}},
    {"UpdateExpression": "SET nope.k=:a", "ExpressionAttributeValues": {":a": S("b")}},
    {"UpdateExpression": "SET q=nope"},
    {"UpdateExpression": "SET q=nope+:a", "ExpressionAttributeValues": {":a": N(1)}},
    {"UpdateExpression": "ADD x :a", "ExpressionAttributeValues": {":a": N(1)}},
    {"UpdateExpression": "SET q=:a", "ExpressionAttributeValues": {":a": N("abc")}},
    {"UpdateExpression": "SET q=:a", "ExpressionAttributeValues": {":a": {"SS": []}}},
    {"UpdateExpression": "SET group_no=:a", "ExpressionAttributeValues": {":a": S("1")}},
    {"UpdateExpression": "SET q=:a", "ExpressionAttributeValues": {":a": S("x" * 410_000)}},
    {"UpdateExpression": "SETT q=:a", "ExpressionAttributeValues": {":a": N(1)}},
    {"UpdateExpression": ""},
]


@pytest.mark.parametrize("request_", INVALID, ids=lambda one: str(one)[:80])
def test_an_update_is_invalid(table: Table, request_: dict[str, Any]) -> None:
    table.put(x=S("x"))

    assert code(lambda: table.update(**request_)) == "ValidationException"
    assert table.get() == table.item(x=S("x"))


@pytest.mark.differs(ministack="accepts it, the last assignment wins")
def test_two_assignments_to_one_path_are_invalid(table: Table) -> None:
    given = {":a": N(1)}

    assert (
        code(
            lambda: table.update(UpdateExpression="SET q=:a, q=:a", ExpressionAttributeValues=given)
        )
        == "ValidationException"
    )


@pytest.mark.differs(ministack="ignores it")
def test_an_assignment_without_a_value_is_invalid(table: Table) -> None:
    assert code(lambda: table.update(UpdateExpression="SET q")) == "ValidationException"


@pytest.mark.differs(ministack="adds a number to a string without complaint")
def test_only_numbers_are_added(table: Table) -> None:
    table.put(x=S("x"))
    given = {":a": N(1)}

    assert (
        code(lambda: table.update(UpdateExpression="SET x=x+:a", ExpressionAttributeValues=given))
        == "ValidationException"
    )


@pytest.mark.parametrize(
    "word",
    ["status", "state", "ttl", "owner", "token", "shard", "result", "error", "name", "data", "at"],
)
def test_a_reserved_word_needs_an_alias(table: Table, word: str) -> None:
    answer = refusal(lambda: table.update(UpdateExpression=f"REMOVE {word}"))
    table.update(UpdateExpression="REMOVE #w", ExpressionAttributeNames={"#w": word})

    assert answer["Error"]["Message"].endswith(f"reserved keyword: {word}")


@pytest.mark.parametrize(
    ("wanted", "shown"),
    [
        ("ALL_OLD", {"pk": S("a"), "sk": S("1"), "n": N(1), "z": S("z")}),
        ("UPDATED_OLD", {"n": N(1)}),
        ("UPDATED_NEW", {"n": N(2), "q": N(1)}),
        ("NONE", None),
    ],
)
def test_an_update_returns(table: Table, wanted: str, shown: dict[str, Any] | None) -> None:
    table.put(n=N(1), z=S("z"))
    answer = table.update(
        UpdateExpression="ADD n :a, q :a",
        ExpressionAttributeValues={":a": N(1)},
        ReturnValues=wanted,
    )

    assert answer.get("Attributes") == shown


def test_an_update_makes_the_item_it_does_not_find(table: Table) -> None:
    table.update("new", UpdateExpression="REMOVE q")

    assert table.get("new") == table.item("new")


def test_a_delete_returns_what_was_there(table: Table) -> None:
    table.put(x=S("x"))
    delete = table.client.delete_item
    first = delete(TableName=table.name, Key=table.key(), ReturnValues="ALL_OLD")
    second = delete(TableName=table.name, Key=table.key(), ReturnValues="ALL_OLD")

    assert first["Attributes"] == table.item(x=S("x"))
    assert "Attributes" not in second
    assert table.get() is None


@pytest.mark.parametrize(
    "item",
    [
        {"pk": S("a")},
        {"pk": S("a"), "sk": S("")},
        {"pk": S("a"), "sk": N(1)},
        {"pk": S("a"), "sk": S("1"), "group_no": S("x")},
        {"pk": S("a"), "sk": S("1"), "x": S("x" * 410_000)},
    ],
    ids=["no sort key", "empty key", "key of another type", "index key of another type", "too big"],
)
def test_an_item_is_invalid(table: Table, item: dict[str, Any]) -> None:
    assert (
        code(lambda: table.client.put_item(TableName=table.name, Item=item))
        == "ValidationException"
    )


@pytest.mark.parametrize(
    "key", [{"pk": S("a")}, {"pk": S("a"), "sk": S("1"), "x": S("1")}, {"pk": S("a"), "sk": N(1)}]
)
def test_a_key_names_the_key_attributes_and_no_others(table: Table, key: dict[str, Any]) -> None:
    assert (
        code(lambda: table.client.get_item(TableName=table.name, Key=key)) == "ValidationException"
    )


def test_an_unknown_table_is_not_found(table: Table) -> None:
    answer = code(lambda: table.client.get_item(TableName="nowhere", Key=table.key()))

    assert answer == "ResourceNotFoundException"


def test_a_projection_shows_what_it_names(table: Table) -> None:
    table.put(x=S("x"), m=M(k=N(1), j=N(2)), state=S("s"))
    answer = table.client.get_item(
        TableName=table.name,
        Key=table.key(),
        ProjectionExpression="x, m.k, #s, nope",
        ExpressionAttributeNames={"#s": "state"},
    )

    assert answer["Item"] == {"x": S("x"), "m": M(k=N(1)), "state": S("s")}


def test_batch_get_returns_what_is_there(table: Table) -> None:
    table.put("1", x=S("x"))
    table.put("2")
    keys = [table.key("2"), table.key("9"), table.key("1")]
    answer = table.client.batch_get_item(
        RequestItems={table.name: {"Keys": keys, "ConsistentRead": True}}
    )

    found = sorted(answer["Responses"][table.name], key=lambda item: str(item["sk"]))
    assert found == [table.item("1", x=S("x")), table.item("2")]
    assert answer["UnprocessedKeys"] == {}


def test_batch_get_takes_a_hundred_different_keys(table: Table) -> None:
    def get(keys: list[dict[str, Any]]) -> str:
        return code(lambda: table.client.batch_get_item(RequestItems={table.name: {"Keys": keys}}))

    assert get([table.key(), table.key()]) == "ValidationException"
    assert get([table.key(str(number)) for number in range(101)]) == "ValidationException"


def test_answers_carry_the_time_in_whole_seconds(table: Table) -> None:
    answer = table.client.get_item(TableName=table.name, Key=table.key())

    headers = answer["ResponseMetadata"]["HTTPHeaders"]
    assert headers["date"].endswith(" GMT")
    assert answer["ResponseMetadata"]["HTTPStatusCode"] == 200


@pytest.mark.differs(dynoxide="shows the key")
def test_where_nothing_was_nothing_old_is_shown(table: Table) -> None:
    answer = table.update("new", UpdateExpression="REMOVE q", ReturnValues="ALL_OLD")

    assert "Attributes" not in answer


@pytest.mark.parametrize("name", ["delete_item", "get_item", "update_item"])
def test_a_key_of_no_letters_names_no_item(table: Table, name: str) -> None:
    call = getattr(table.client, name)

    assert code(lambda: call(TableName=table.name, Key=table.key(""))) == "ValidationException"
