"""Publishes to a user's topic. A run is delivered once SNS has accepted its message."""

from __future__ import annotations

import json
from typing import Any

from onthedot.store import aws
from onthedot.targets.attempt_outcome import Answer, Done
from onthedot.targets.call import Call

_FIFO = ".fifo"


def call(asked: Call) -> Answer:
    """Publishes the payload. In a FIFO topic the run's id suppresses a second message."""
    topic = asked.target["topic_arn"]
    request: dict[str, Any] = {
        "TopicArn": topic,
        "Message": json.dumps(asked.payload),
        "MessageAttributes": {
            "run_id": {"DataType": "String", "StringValue": asked.run_id},
            "attempt": {"DataType": "Number", "StringValue": str(asked.attempt)},
        },
    }
    if topic.endswith(_FIFO):
        request["MessageDeduplicationId"] = asked.run_id
        request["MessageGroupId"] = asked.task_id
    answer = aws.patient_client("sns", 10).publish(**request)
    return Done({"message_id": answer["MessageId"]})
