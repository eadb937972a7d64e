"""Random operations: an engine and the simulated store answer alike, one by one."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest
from botocore.exceptions import ClientError

from tests.contract.kit import M, N, S, Table, create
from tests.simulation.stores.dynamo import Dynamo

Answer = dict[str, Any]
STEPS = 300
_CONDITIONS = [
    ("attribute_not_exists(pk)", {}),
    ("attribute_exists(x)", {}),
    ("n = :a", {":a": N(1)}),
    ("n <> :a AND m.k < :b", {":a": N(1), ":b": N(3)}),
    ("n BETWEEN :a AND :b OR begins_with(x, :c)", {":a": N(1), ":b": N(2), ":c": S("t")}),
    ("NOT (n IN (:a, :b))", {":a": N(0), ":b": N(2)}),
]
_UPDATES = [
    ("SET n = :n", {":n": N(2)}),
    ("SET n = if_not_exists(n, :z) + :o", {":z": N(0), ":o": N(1)}),
    ("SET x = :x REMOVE y", {":x": S("text")}),
    ("REMOVE group_no", {}),
    ("SET group_no = :g, due_at = :t", {":g": N(1), ":t": S("t3")}),
    ("SET m.k = m.k + :o", {":o": N(1)}),
    ("ADD n :o", {":o": N("0.5")}),
]
_WHERES = ["", " AND n = ?", " AND x IS NOT MISSING AND n >= ?", ' AND "m"."k" = ? AND NOT n = ?']


@pytest.fixture
def twins(table: Table) -> tuple[Table, Table]:
    other = Dynamo(lambda: 1_795_000_000_000_000)
    create(other, table.name)
    return table, Table(other, table.name)


def item(random: Random, table: Table, sk: str) -> Answer:
    parts = {
        "group_no": N(random.randrange(2)),
        "due_at": S(f"t{random.randrange(3)}"),
        "n": N(random.choice([0, 1, 2, 1.5])),
        "x": S(random.choice(["t", "text", "é"])),
        "y": {"L": [N(1), S("a")]},
        "m": M(k=N(random.randrange(4))),
        "z": S("z" * random.choice([1, 700])),
    }
    chosen = {name: parts[name] for name in parts if random.random() < 0.7}
    return table.item(sk, **chosen)


def step(random: Random, table: Table) -> tuple[str, Answer]:
    """Returns an operation with its request."""
    sk = str(random.randrange(4))
    base: Answer = {"TableName": table.name, "ReturnConsumedCapacity": "INDEXES"}
    kind = random.choice(["put", "update", "delete", "get", "query", "index", "batch", "transact"])
    if kind == "put":
        return "put_item", {**base, "Item": item(random, table, sk), **condition(random)}
    if kind == "update":
        text, values = random.choice(_UPDATES)
        guard = condition(random)
        values = {**values, **guard.pop("ExpressionAttributeValues", {})}
        given = {"ExpressionAttributeValues": values} if values else {}
        change = {
            "UpdateExpression": text,
            "ReturnValues": random.choice(["ALL_NEW", "UPDATED_NEW"]),
        }
        return "update_item", {**base, "Key": table.key(sk), **change, **guard, **given}
    if kind == "delete":
        return "delete_item", {**base, "Key": table.key(sk), "ReturnValues": "ALL_OLD"}
    if kind == "get":
        return "get_item", {**base, "Key": table.key(sk), "ConsistentRead": random.random() < 0.5}
    if kind == "query":
        return "query", {**base, **where("pk = :a AND sk >= :b", random, S("a"), S(sk))}
    if kind == "index":
        partition, sort = N(random.randrange(2)), S(f"t{random.randrange(3)}")
        found = where("group_no = :a AND due_at <= :b", random, partition, sort)
        return "query", {**base, **found, "IndexName": "by_group"}
    if kind == "batch":
        statements = [statement(random, table, one) for one in random.sample("0123", 3)]
        return "batch_execute_statement", {"Statements": statements}
    return "transact_write_items", {"TransactItems": transaction(random, table)}


def condition(random: Random) -> Answer:
    if random.random() < 0.5:
        return {}
    text, values = random.choice(_CONDITIONS)
    given: Answer = {"ExpressionAttributeValues": values} if values else {}
    return {"ConditionExpression": text, "ReturnValuesOnConditionCheckFailure": "ALL_OLD", **given}


def where(text: str, random: Random, a: Answer, b: Answer) -> Answer:
    return {
        "KeyConditionExpression": text,
        "ExpressionAttributeValues": {":a": a, ":b": b},
        "ScanIndexForward": random.random() < 0.5,
        **({"Limit": random.randint(1, 3)} if random.random() < 0.5 else {}),
    }


def statement(random: Random, table: Table, sk: str) -> Answer:
    clause = random.choice(_WHERES)
    parameters = [S("a"), S(sk), *[N(random.randrange(3)) for _ in range(clause.count("?"))]]
    kind = random.choice(["insert", "update", "delete"])
    if kind == "insert":
        parts = item(random, table, sk)
        fields = ", ".join(f"'{name}': ?" for name in parts)
        return table.statement(f"INSERT INTO T VALUE {{{fields}}}", list(parts.values()))
    if kind == "update":
        text = f"UPDATE T SET n=?, x=? REMOVE y WHERE K{clause} RETURNING ALL NEW *"
        return table.statement(text, [N(1), S("u"), *parameters])
    return table.statement(f"DELETE FROM T WHERE K{clause} RETURNING ALL OLD *", parameters)


def transaction(random: Random, table: Table) -> list[Answer]:
    one, other = random.sample("0123", 2)
    base = {"TableName": table.name}
    put = {"Put": {**base, "Item": item(random, table, one), **condition(random)}}
    return [put, {"Delete": {**base, "Key": table.key(other), **condition(random)}}]


def answered(table: Table, operation: str, request: Answer) -> Answer:
    try:
        answer = getattr(table.client, operation)(**request)
    except ClientError as error:
        told = error.response
        reasons = [reason["Code"] for reason in told.get("CancellationReasons", [])]
        return {"code": told["Error"]["Code"], "item": told.get("Item"), "reasons": reasons}
    return {name: answer[name] for name in answer if name != "ResponseMetadata"}


@pytest.mark.parametrize("seed", range(10))
def test_every_answer_is_alike(
    twins: tuple[Table, Table], seed: int, request: pytest.FixtureRequest
) -> None:
    random = Random(seed)
    engine, simulated = twins
    history = []
    for _ in range(STEPS):
        operation, given = step(random, engine)
        history.append((operation, given))
        answers = [answered(table, operation, given) for table in (engine, simulated)]

        assert answers[0] == answers[1], (request.node.name, history[-3:])
    assert (
        engine.query("pk=:p", {":p": S("a")})["Items"]
        == (simulated.query("pk=:p", {":p": S("a")})["Items"])
    )
