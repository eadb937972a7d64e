"""Drives worker processes like Lambda's pollers: receive ten, work them, again.

Each process has several invocations at once, like many small Lambdas.
"""

from __future__ import annotations

import os
from concurrent.futures import ThreadPoolExecutor
from multiprocessing import get_context
from multiprocessing.context import SpawnProcess
from threading import BoundedSemaphore
from typing import Any

from bench import recording
from onthedot.store import aws
from onthedot.work.target_table import TARGETS
from onthedot.work.worker import work

INVOCATIONS = 12


def start(count: int) -> list[SpawnProcess]:
    """Starts workers on the normal queue. Their environment has what they need."""
    context = get_context("spawn")
    workers = [context.Process(target=_poll, daemon=True) for _ in range(count)]
    for worker in workers:
        worker.start()
    return workers


def _poll() -> None:
    TARGETS["recording"] = recording.call
    url = os.environ["NORMAL_QUEUE_URL"]
    free = BoundedSemaphore(INVOCATIONS)
    with ThreadPoolExecutor(INVOCATIONS) as pool:
        while free.acquire():
            answer = aws.client("sqs").receive_message(
                QueueUrl=url,
                MaxNumberOfMessages=10,
                WaitTimeSeconds=1,
                MessageSystemAttributeNames=["All"],
            )
            event = {"Records": [_record(message) for message in answer.get("Messages", ())]}
            if event["Records"]:
                pool.submit(work, event).add_done_callback(lambda _done: free.release())
            else:
                free.release()


def _record(message: dict[str, Any]) -> dict[str, Any]:
    return {
        "messageId": message["MessageId"],
        "receiptHandle": message["ReceiptHandle"],
        "body": message["Body"],
        "attributes": message["Attributes"],
        "eventSourceARN": "arn:aws:sqs:us-east-1:000000000000:normal",
    }
