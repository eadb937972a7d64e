"""Sends to a user's queue. A run is delivered once SQS has accepted its message."""

from __future__ import annotations

import json
from typing import Any

from onthedot.store import aws
from onthedot.targets.attempt_outcome import Answer, Done
from onthedot.targets.call import Call

_FIFO = ".fifo"


def call(asked: Call) -> Answer:
    """Sends the payload. In a FIFO queue the run's id suppresses a second message."""
    url = asked.target["queue_url"]
    request: dict[str, Any] = {
        "QueueUrl": url,
        "MessageBody": json.dumps(asked.payload),
        "MessageAttributes": {
            "run_id": {"DataType": "String", "StringValue": asked.run_id},
            "attempt": {"DataType": "Number", "StringValue": str(asked.attempt)},
        },
    }
    if url.endswith(_FIFO):
        request["MessageDeduplicationId"] = asked.run_id
        request["MessageGroupId"] = asked.target.get("group_id") or asked.task_id
    elif asked.target.get("group_id"):
        request["MessageGroupId"] = asked.target["group_id"]
    answer = aws.patient_client("sqs", 10).send_message(**request)
    return Done({"message_id": answer["MessageId"]})
