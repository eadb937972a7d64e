"""Where events go: topics of SNS and buses of EventBridge; webhooks are called as targets are."""

from __future__ import annotations

import json
import os
from collections.abc import Sequence

from onthedot.adapters import aws

BATCH = 10


def destinations() -> list[str]:
    """Read where to, separated by commas: ARNs of topics and buses, https addresses; or nowhere."""
    return [each.strip() for each in os.environ.get("EVENTS_TO", "").split(",") if each.strip()]


def signing_ref() -> str:
    """Read which secret signs what goes to webhooks; none if it is not set."""
    return os.environ.get("EVENTS_SIGN_REF", "")


def send(arn: str, bodies: Sequence[str]) -> None:
    """Hand CloudEvents over, ten a call; what is refused raises, and is told again."""
    service = arn.split(":")[2]
    for first in range(0, len(bodies), BATCH):
        some = bodies[first : first + BATCH]
        if service == "sns":
            _publish(arn, some)
        else:
            _put(arn, some)


def _publish(topic: str, bodies: Sequence[str]) -> None:
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
    _none_refused(topic, answer.get("Failed", ()))


def _put(bus: str, bodies: Sequence[str]) -> None:
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
    _none_refused(bus, [each for each in answer["Entries"] if each.get("ErrorCode")])


def _none_refused(arn: str, refused: Sequence[object]) -> None:
    if refused:
        raise RuntimeError(f"{arn} did not take {len(refused)} events: {refused[0]}")
