"""Values in DynamoDB's letters, one table and one queue to try things on."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import pytest
from botocore.exceptions import ClientError

Answer = dict[str, Any]


def S(text: str) -> Answer:  # noqa: N802  # DynamoDB's own letter
    return {"S": text}


def N(amount: float | str) -> Answer:  # noqa: N802  # DynamoDB's own letter
    return {"N": str(amount)}


def M(**fields: Answer) -> Answer:  # noqa: N802  # DynamoDB's own letter
    return {"M": fields}


def refusal(call: Callable[[], object]) -> Answer:
    """Returns the response of the ClientError the call must raise."""
    with pytest.raises(ClientError) as caught:
        call()
    return dict(caught.value.response)


def code(call: Callable[[], object]) -> str:
    return str(refusal(call)["Error"]["Code"])


@dataclass(frozen=True, slots=True)
class Table:
    """A fresh table: key (pk S, sk S), index `by_group` on (group_no N, due_at S) INCLUDE x, y."""

    client: Any
    name: str

    def put(self, sk: str = "1", /, **attributes: Answer) -> None:
        self.client.put_item(TableName=self.name, Item=self.item(sk, **attributes))

    def item(self, sk: str = "1", /, **attributes: Answer) -> Answer:
        return {"pk": S("a"), "sk": S(sk), **attributes}

    def key(self, sk: str = "1") -> Answer:
        return {"pk": S("a"), "sk": S(sk)}

    def get(self, sk: str = "1") -> Answer | None:
        found = self.client.get_item(TableName=self.name, Key=self.key(sk), ConsistentRead=True)
        item: Answer | None = found.get("Item")
        return item

    def update(self, sk: str = "1", /, **request: Any) -> Answer:
        answer: Answer = self.client.update_item(TableName=self.name, Key=self.key(sk), **request)
        return answer

    def batch(self, *statements: tuple[Any, ...], **request: Any) -> list[Answer]:
        """Returns each: text with T for the table and K for the key condition, parameters, more."""
        answer = self.client.batch_execute_statement(
            Statements=[self.statement(*one) for one in statements], **request
        )
        responses: list[Answer] = answer["Responses"]
        return responses

    def statement(self, text: str, parameters: list[Answer], **more: Any) -> Answer:
        text = text.replace(" T ", f' "{self.name}" ').replace(" K", " pk=? AND sk=?")
        return {"Statement": text, **({"Parameters": parameters} if parameters else {}), **more}

    def query(self, condition: str, values: Answer, **request: Any) -> Answer:
        answer: Answer = self.client.query(
            TableName=self.name,
            KeyConditionExpression=condition,
            ExpressionAttributeValues=values,
            **request,
        )
        return answer


def create(dynamodb: Any, name: str) -> None:
    kinds = {"pk": "S", "sk": "S", "group_no": "N", "due_at": "S"}
    index = {
        "IndexName": "by_group",
        "KeySchema": _keys("group_no", "due_at"),
        "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["x", "y"]},
    }
    dynamodb.create_table(
        TableName=name,
        BillingMode="PAY_PER_REQUEST",
        AttributeDefinitions=[
            {"AttributeName": attribute, "AttributeType": kind} for attribute, kind in kinds.items()
        ],
        KeySchema=_keys("pk", "sk"),
        GlobalSecondaryIndexes=[index],
    )


def _keys(partition: str, sort: str) -> list[Answer]:
    return [
        {"AttributeName": partition, "KeyType": "HASH"},
        {"AttributeName": sort, "KeyType": "RANGE"},
    ]


@dataclass(frozen=True, slots=True)
class Mailbox:
    """A fresh queue that sends to `dead` what is received more than twice."""

    client: Any
    url: str
    dead_url: str

    def send(self, body: str = "x", **request: Any) -> Answer:
        answer: Answer = self.client.send_message(QueueUrl=self.url, MessageBody=body, **request)
        return answer

    def receive(self, url: str = "", **request: Any) -> list[Answer]:
        answer = self.client.receive_message(QueueUrl=url or self.url, **request)
        messages: list[Answer] = answer.get("Messages", [])
        return messages

    def receive_again(self, message: Answer) -> list[Answer]:
        """Makes it visible at once and receives it."""
        self.client.change_message_visibility(
            QueueUrl=self.url, ReceiptHandle=message["ReceiptHandle"], VisibilityTimeout=0
        )
        return self.receive()
