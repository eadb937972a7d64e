"""Sends and deletes messages, ten in a call. It always reports what SQS did not take."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Sequence
from typing import Any

from onthedot.records.runs.message_pack import Pack
from onthedot.records.runs.pull import pulled
from onthedot.store import aws

BATCH = 10
_TRIES = 3


def send(packs: Sequence[tuple[Pack, int]]) -> list[Pack]:
    """Sends packs, each with its delay in seconds. Returns those that SQS did not take.

    Outside workers find a run by its row, so for such runs no message is sent.
    """
    by_queue: dict[str, list[tuple[Pack, int]]] = defaultdict(list)
    for pack, delay in packs:
        if not pulled(pack.queue):
            by_queue[pack.queue].append((pack, delay))
    batches = [
        (queue, of_queue[first : first + BATCH])
        for queue, of_queue in by_queue.items()
        for first in range(0, len(of_queue), BATCH)
    ]
    left = aws.in_parallel(lambda batch: _send_batch(*batch), batches)
    return [pack for of_batch in left for pack in of_batch]


def _send_batch(queue: str, packs: Sequence[tuple[Pack, int]]) -> list[Pack]:
    left = list(packs)
    for _ in range(_TRIES):
        entries = [_entry(place, pack, delay) for place, (pack, delay) in enumerate(left)]
        try:
            answer = aws.client("sqs").send_message_batch(
                QueueUrl=aws.queue_url(queue), Entries=entries
            )
        except aws.FAILURES as failure:
            if not aws.passes(failure):
                raise
            # SQS may have taken them. A message too many does no harm; one too few does.
            continue
        left = [left[int(failed["Id"])] for failed in answer.get("Failed", ())]
        if not left:
            break
    return [pack for pack, _ in left]


def _entry(place: int, pack: Pack, delay: int) -> dict[str, Any]:
    entry = {"Id": str(place), "MessageBody": pack.body(), "DelaySeconds": delay}
    # A message may come without its tenant, and SQS refuses an empty group.
    return entry | ({"MessageGroupId": pack.tenant_id} if pack.tenant_id else {})


def receive(queue: str, most: int, *, visible_sec: int, wait_sec: int) -> list[dict[str, Any]]:
    """Receives messages in the form of a queue's event."""
    answer = aws.client("sqs").receive_message(
        QueueUrl=aws.queue_url(queue),
        MaxNumberOfMessages=most,
        VisibilityTimeout=visible_sec,
        WaitTimeSeconds=wait_sec,
        MessageSystemAttributeNames=["All"],
    )
    return [
        {
            "messageId": message["MessageId"],
            "receiptHandle": message["ReceiptHandle"],
            "body": message["Body"],
            "attributes": message["Attributes"],
        }
        for message in answer.get("Messages", ())
    ]


def change_visibility(url: str, receipts: Sequence[tuple[str, int]]) -> None:
    """Makes messages visible again after some seconds. A message that is gone needs nothing."""
    for first in range(0, len(receipts), BATCH):
        aws.client("sqs").change_message_visibility_batch(
            QueueUrl=url,
            Entries=[
                {"Id": str(place), "ReceiptHandle": receipt, "VisibilityTimeout": seconds}
                for place, (receipt, seconds) in enumerate(receipts[first : first + BATCH])
            ],
        )


def delete(url: str, receipts: Sequence[str]) -> None:
    """Deletes messages whose work is done. One that stays comes again and has nothing to do."""
    for first in range(0, len(receipts), BATCH):
        aws.client("sqs").delete_message_batch(
            QueueUrl=url,
            Entries=[
                {"Id": str(place), "ReceiptHandle": receipt}
                for place, receipt in enumerate(receipts[first : first + BATCH])
            ],
        )
