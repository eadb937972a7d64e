"""Conditional writes, many or one: who wins is decided by the store, and every answer is read."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

from botocore.exceptions import ClientError

from onthedot.adapters import aws
from onthedot.core.attributes import typed, typed_item
from onthedot.core.writes import Insert, Outcome, Update, Write, expression, statement

BATCH = 25
_REFUSALS = ("ConditionalCheckFailed", "DuplicateItem", "ConditionalCheckFailedException")


def write_many(writes: Sequence[Write]) -> list[Outcome]:
    """Write in batches of 25; one write's refusal says nothing of the others."""
    outcomes: list[Outcome] = []
    for batch in _batches(writes):
        outcomes += write_batch(batch)
    return outcomes


def write_batch(writes: Sequence[Write]) -> list[Outcome]:
    """Write up to 25; no two of them may be of one item, for that rejects all."""
    answer = aws.client("dynamodb").batch_execute_statement(
        Statements=[_statement(write) for write in writes]
    )
    return [_outcome(response) for response in answer["Responses"]]


def write_one(write: Write) -> Outcome:
    """The same conditions by PutItem or UpdateItem."""
    try:
        if isinstance(write, Insert):
            aws.client("dynamodb").put_item(**_put(write))
        else:
            aws.client("dynamodb").update_item(**_update(write))
    except ClientError as refusal:
        if refusal.response["Error"]["Code"] in _REFUSALS:
            return Outcome.REFUSED
        raise
    return Outcome.DONE


def write_together(writes: Sequence[Write]) -> bool:
    """Write all or nothing; False says that something was not as the clauses have it."""
    try:
        aws.client("dynamodb").transact_write_items(
            TransactItems=[_transacted(write) for write in writes]
        )
    except ClientError as refusal:
        if refusal.response["Error"]["Code"] == "TransactionCanceledException":
            return False
        raise
    return True


def _transacted(write: Write) -> dict[str, Any]:
    if isinstance(write, Insert):
        return {"Put": _put(write)}
    return {"Update": _update(write)}


def _put(write: Insert) -> dict[str, Any]:
    return {
        "TableName": aws.table(write.table),
        "Item": typed_item(write.item),
        "ConditionExpression": "attribute_not_exists(#p)",
        "ExpressionAttributeNames": {"#p": write.key[0]},
    }


def _update(write: Update) -> dict[str, Any]:
    spelled = expression(write)
    return {
        "TableName": aws.table(write.table),
        "Key": typed_item(dict(write.key)),
        "UpdateExpression": spelled.update,
        "ConditionExpression": spelled.condition,
        "ExpressionAttributeNames": spelled.names,
        "ExpressionAttributeValues": typed_item(spelled.values),
    }


def _statement(write: Write) -> dict[str, Any]:
    text, values = statement(write, aws.table(write.table))
    return {"Statement": text, "Parameters": [typed(value) for value in values]}


def _outcome(response: dict[str, Any]) -> Outcome:
    error = response.get("Error")
    if not error:
        return Outcome.DONE
    if error["Code"] in _REFUSALS:
        return Outcome.REFUSED
    if error["Code"] == "ValidationError":
        raise ValueError(f"the store does not take our statement: {error}")
    return Outcome.UNSURE


def _batches(writes: Sequence[Write]) -> Iterator[Sequence[Write]]:
    for first in range(0, len(writes), BATCH):
        yield writes[first : first + BATCH]
