"""TransactWriteItems: all or nothing."""

from __future__ import annotations

from typing import Any

import pytest

from tests.contract.kit import N, S, Table, code, refusal


def put(table: Table, sk: str, **more: Any) -> dict[str, Any]:
    return {"Put": {"TableName": table.name, "Item": table.item(sk), **more}}


def act(table: Table, action: str, sk: str, **more: Any) -> dict[str, Any]:
    return {action: {"TableName": table.name, "Key": table.key(sk), **more}}


def test_all_is_done(table: Table) -> None:
    table.put("2", x=S("x"))
    table.put("3")
    table.client.transact_write_items(
        TransactItems=[
            put(table, "1", ConditionExpression="attribute_not_exists(pk)"),
            act(table, "Update", "2", UpdateExpression="SET y=x"),
            act(table, "Delete", "3"),
            act(table, "ConditionCheck", "4", ConditionExpression="attribute_not_exists(pk)"),
        ]
    )

    assert table.get("1") == table.item("1")
    assert table.get("2") == table.item("2", x=S("x"), y=S("x"))
    assert table.get("3") is None
    assert table.get("4") is None


def test_nothing_is_done_when_one_is_refused(table: Table) -> None:
    table.put("2", x=S("x"))
    answer = refusal(
        lambda: table.client.transact_write_items(
            TransactItems=[
                put(table, "1"),
                put(
                    table,
                    "2",
                    ConditionExpression="attribute_not_exists(pk)",
                    ReturnValuesOnConditionCheckFailure="ALL_OLD",
                ),
                act(table, "Delete", "2x", ConditionExpression="attribute_exists(pk)"),
            ]
        )
    )

    assert answer["Error"]["Code"] == "TransactionCanceledException"
    assert "[None, ConditionalCheckFailed, ConditionalCheckFailed]" in answer["Error"]["Message"]
    codes = [reason["Code"] for reason in answer["CancellationReasons"]]
    assert codes == ["None", "ConditionalCheckFailed", "ConditionalCheckFailed"]
    assert answer["CancellationReasons"][1]["Item"] == table.item("2", x=S("x"))
    assert table.get("1") is None


def test_an_impossible_update_cancels_with_its_reason(table: Table) -> None:
    update = act(
        table,
        "Update",
        "2",
        UpdateExpression="SET q=nope+:a",
        ExpressionAttributeValues={":a": N(1)},
    )
    answer = refusal(
        lambda: table.client.transact_write_items(TransactItems=[put(table, "1"), update])
    )

    assert [reason["Code"] for reason in answer["CancellationReasons"]] == [
        "None",
        "ValidationError",
    ]
    assert table.get("1") is None


def test_two_actions_on_one_item_are_invalid(table: Table) -> None:
    def both() -> object:
        return table.client.transact_write_items(
            TransactItems=[put(table, "1"), act(table, "Delete", "1")]
        )

    assert code(both) == "ValidationException"


def test_a_token_makes_a_repetition_harmless(table: Table) -> None:
    actions = [put(table, "1", ConditionExpression="attribute_not_exists(pk)")]
    table.client.transact_write_items(TransactItems=actions, ClientRequestToken=table.name)
    table.client.transact_write_items(TransactItems=actions, ClientRequestToken=table.name)
    other = [put(table, "2")]

    assert (
        code(
            lambda: table.client.transact_write_items(
                TransactItems=other, ClientRequestToken=table.name
            )
        )
        == "IdempotentParameterMismatchException"
    )
    with pytest.raises(table.client.exceptions.TransactionCanceledException):
        table.client.transact_write_items(TransactItems=actions)
