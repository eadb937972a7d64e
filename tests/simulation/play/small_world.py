"""A small world: one table, one queue with a dead-letter queue."""

from __future__ import annotations

import json
from collections.abc import Iterable
from typing import Any

from tests.simulation.faults.faults import CALM, Aim, Profile
from tests.simulation.machine.world import World

NOTES = "notes"
Answer = dict[str, Any]


def make_world(
    seed: int = 1, profile: Profile = CALM, aims: Iterable[Aim] = (), **more: Any
) -> World:
    world = World(seed, profile, aims, **more)
    world.store.create_table(
        TableName=NOTES,
        AttributeDefinitions=[
            {"AttributeName": "pk", "AttributeType": "S"},
            {"AttributeName": "sk", "AttributeType": "S"},
            {"AttributeName": "group", "AttributeType": "S"},
        ],
        KeySchema=[
            {"AttributeName": "pk", "KeyType": "HASH"},
            {"AttributeName": "sk", "KeyType": "RANGE"},
        ],
        GlobalSecondaryIndexes=[
            {
                "IndexName": "by_group",
                "KeySchema": [
                    {"AttributeName": "group", "KeyType": "HASH"},
                    {"AttributeName": "sk", "KeyType": "RANGE"},
                ],
                "Projection": {"ProjectionType": "INCLUDE", "NonKeyAttributes": ["n"]},
            }
        ],
    )
    world.queues.create_queue(QueueName="dead")
    policy = {"deadLetterTargetArn": world.queues.queue("dead").arn, "maxReceiveCount": 2}
    world.queues.create_queue(
        QueueName="work",
        Attributes={"VisibilityTimeout": "30", "RedrivePolicy": json.dumps(policy)},
    )
    return world


def note(sk: str, n: int = 0) -> Answer:
    return {"pk": {"S": "a"}, "sk": {"S": sk}, "group": {"S": "g"}, "n": {"N": str(n)}}


def put(world: World, sk: str, n: int = 0, **more: Any) -> None:
    world.dynamodb.put_item(TableName=NOTES, Item=note(sk, n), **more)


def get(world: World, sk: str) -> Answer | None:
    key = {"pk": {"S": "a"}, "sk": {"S": sk}}
    return world.dynamodb.get_item(TableName=NOTES, Key=key, ConsistentRead=True).get("Item")


def insert(sk: str) -> Answer:
    return {
        "Statement": f"INSERT INTO {NOTES} VALUE {{'pk': ?, 'sk': ?}}",
        "Parameters": [{"S": "a"}, {"S": sk}],
    }


def send(world: World, *bodies: str, delay_sec: int = 0) -> Answer:
    return world.sqs.send_message_batch(
        QueueUrl=world.queues.url("work"),
        Entries=[
            {"Id": str(place), "MessageBody": body, "DelaySeconds": delay_sec}
            for place, body in enumerate(bodies)
        ],
    )


def stored(world: World) -> str:
    """Returns the sort keys of everything there is."""
    return "".join(item["sk"]["S"] for item in world.store.scan(TableName=NOTES)["Items"])
