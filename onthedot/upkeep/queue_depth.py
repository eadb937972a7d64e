"""Counts the messages that are due and wait for a worker."""

from __future__ import annotations

from onthedot.store import aws

WORKING = ("high", "normal", "low")


def waiting() -> int:
    """Counts those of all priorities. SQS's count is approximate, and omits what is not due yet."""
    return sum(aws.in_parallel(_waiting, WORKING))


def _waiting(queue: str) -> int:
    name = "ApproximateNumberOfMessages"
    answer = aws.client("sqs").get_queue_attributes(
        QueueUrl=aws.queue_url(queue), AttributeNames=[name]
    )
    return int(answer["Attributes"][name])
