"""Sends events to SNS topics and EventBridge buses. Webhooks are called like targets."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from onthedot.store import aws

BATCH = 10


def destinations() -> list[str]:
    """Reads the destinations, separated by commas: ARNs of topics and buses, https addresses."""
    return [each.strip() for each in os.environ.get("EVENTS_TO", "").split(",") if each.strip()]


def signing_ref() -> str:
    """Reads the reference of the secret that signs webhooks. It may be empty."""
    return os.environ.get("EVENTS_SIGN_REF", "")


def send(arn: str, bodies: Sequence[str]) -> set[int]:
    """Sends at most ten CloudEvents. Returns the positions of those that were refused."""
    return _publish(arn, bodies) if arn.split(":")[2] == "sns" else _put(arn, bodies)


def _publish(topic: str, bodies: Sequence[str]) -> set[int]:
    answer = aws.client("sns").publish_batch(
        TopicArn=topic,
        PublishBatchRequestEntries=[
            {
                "Id": str(place),
                "Message": body,
                "MessageAttributes": {
                    "type": {"DataType": "String", "StringValue": json.loads(body)["type"]}
                },
            }
            for place, body in enumerate(bodies)
        ],
    )
    return {int(each["Id"]) for each in answer.get("Failed", ())}


def _put(bus: str, bodies: Sequence[str]) -> set[int]:
    answer = aws.client("events").put_events(
        Entries=[
            {
                "EventBusName": bus,
                "Source": "onthedot",
                "DetailType": json.loads(body)["type"],
                "Detail": body,
            }
            for body in bodies
        ]
    )
    return {place for place, each in enumerate(answer["Entries"]) if each.get("ErrorCode")}
