"""Targets of every type, ready to be called: what reached them, and how they are found missing."""

from __future__ import annotations

import io
import json
import time
import zipfile
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from onthedot.store import aws

ROLE = "arn:aws:iam::000000000000:role/any"
REGION, ACCOUNT = "us-east-1", "000000000000"
PATIENCE_SEC = 60.0
FUNCTION = """
def handler(event, context):
    if event.get("fail"):
        raise ValueError("asked to fail")
    return {"got": event}
"""
MACHINE = {"StartAt": "Echo", "States": {"Echo": {"Type": "Pass", "End": True}}}
WAITING_MACHINE = {
    "StartAt": "Wait",
    "States": {"Wait": {"Type": "Wait", "Seconds": 600, "End": True}},
}
BROKEN_MACHINE = {
    "StartAt": "No",
    "States": {"No": {"Type": "Fail", "Error": "NoStock", "Cause": "none is left"}},
}


@dataclass(frozen=True, slots=True)
class Standing:
    """One target: its fields, the same with a name that is not there, and what it has got."""

    target: dict[str, Any]
    missing: dict[str, Any]
    got: Callable[[], Any]


def queue_target(name: str) -> Standing:
    """Returns a queue, which a test reads."""
    url = _queue(name)
    return Standing(
        {"type": "sqs", "queue_url": url},
        {"type": "sqs", "queue_url": url + "-missing"},
        lambda: json.loads(_message(url)["Body"]),
    )


def topic_target(name: str) -> Standing:
    """Returns a topic with a queue behind it."""
    url = _queue(f"{name}-behind")
    topic = aws.client("sns").create_topic(Name=name)["TopicArn"]
    aws.client("sns").subscribe(TopicArn=topic, Protocol="sqs", Endpoint=_arn(url))
    return Standing(
        {"type": "sns", "topic_arn": topic},
        {"type": "sns", "topic_arn": topic + "-missing"},
        lambda: json.loads(json.loads(_message(url)["Body"])["Message"]),
    )


def bus_target(name: str) -> Standing:
    """Returns a bus with a rule that leads to a queue."""
    url = _queue(f"{name}-behind")
    events = aws.client("events")
    events.create_event_bus(Name=name)
    events.put_rule(Name=name, EventBusName=name, EventPattern='{"source":["billing"]}')
    events.put_targets(Rule=name, EventBusName=name, Targets=[{"Id": "1", "Arn": _arn(url)}])
    return Standing(
        {"type": "eventbridge", "bus": name, "source": "billing", "detail_type": "report"},
        {"type": "eventbridge", "bus": f"{name}-missing", "source": "billing"},
        lambda: json.loads(_message(url)["Body"])["detail"]["payload"],
    )


def function_target(name: str, mode: str = "sync") -> Standing:
    """Returns a function that answers with what it got, or fails when it is told to."""
    archive = io.BytesIO()
    with zipfile.ZipFile(archive, "w") as zipped:
        zipped.writestr("main.py", FUNCTION)
    arn = aws.client("lambda").create_function(
        FunctionName=name,
        Runtime="python3.13",
        Role=ROLE,
        Handler="main.handler",
        Code={"ZipFile": archive.getvalue()},
    )["FunctionArn"]
    return Standing(
        {"type": "lambda", "function_arn": arn, "mode": mode},
        {"type": "lambda", "function_arn": arn + "-missing", "mode": mode},
        lambda: None,
    )


def machine_target(name: str, *, wait: bool, broken: bool = False) -> Standing:
    """Returns a state machine that ends with its input, or fails."""
    arn = aws.client("stepfunctions").create_state_machine(
        name=name, definition=json.dumps(BROKEN_MACHINE if broken else MACHINE), roleArn=ROLE
    )["stateMachineArn"]

    def got() -> Any:  # noqa: ANN401 any JSON
        client = aws.client("stepfunctions")
        (one,) = client.list_executions(stateMachineArn=arn)["executions"]
        return json.loads(client.describe_execution(executionArn=one["executionArn"])["input"])

    return Standing(
        {"type": "stepfunctions", "state_machine_arn": arn, "wait": wait},
        {"type": "stepfunctions", "state_machine_arn": arn + "-missing", "wait": wait},
        got,
    )


def waiting_machine(name: str) -> Standing:
    """Returns a state machine that takes ten minutes; what it has got is its one execution's
    status.
    """
    client = aws.client("stepfunctions")
    arn = client.create_state_machine(
        name=name, definition=json.dumps(WAITING_MACHINE), roleArn=ROLE
    )["stateMachineArn"]
    target = {"type": "stepfunctions", "state_machine_arn": arn, "wait": True}

    def got() -> str:
        (one,) = client.list_executions(stateMachineArn=arn)["executions"]
        return str(one["status"])

    return Standing(target, target, got)


def _queue(name: str) -> str:
    return str(aws.client("sqs").create_queue(QueueName=name)["QueueUrl"])


def _arn(url: str) -> str:
    return f"arn:aws:sqs:{REGION}:{ACCOUNT}:{url.rsplit('/', 1)[-1]}"


def message(url: str) -> dict[str, Any]:
    """Returns what came to a queue, with its attributes."""
    return _message(url)


def _message(url: str) -> dict[str, Any]:
    deadline = time.monotonic() + PATIENCE_SEC
    while time.monotonic() < deadline:
        answer = aws.client("sqs").receive_message(
            QueueUrl=url,
            WaitTimeSeconds=1,
            MessageAttributeNames=["All"],
            MessageSystemAttributeNames=["All"],
        )
        if answer.get("Messages"):
            found: dict[str, Any] = answer["Messages"][0]
            return found
    raise AssertionError(f"nothing came to {url}")
